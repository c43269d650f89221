//! Profiles as tables: of one setting, or of two with their ratio.

use serde_json::{Value, json};

use super::counts::Profile;
use super::figures::{Figure, FigureRow, Layout, Section, sections};
use crate::text_table::{Table, fold};

/// Names of the two settings and their ratio.
const COLUMNS: [&str; 3] = ["A", "B", "B / A"];

/// Text for a terminal of this width.
pub(crate) fn to_text(profiles: &[&Profile], nodes: u64, width: usize) -> String {
    let tables = tables(profiles, nodes, Style { cell: Figure::narrow, matrix: Figure::short });
    let text = |(title, table): (String, Table)| {
        format!("{}\n\n{}\n", fold(&title, width).join("\n"), table.to_text_within(width))
    };
    tables.into_iter().map(text).collect()
}

/// Markdown tables.
pub(crate) fn to_markdown(profiles: &[&Profile], nodes: u64) -> String {
    let tables = tables(profiles, nodes, Style { cell: Figure::text, matrix: Figure::text });
    tables.into_iter().map(|(title, table)| format!("### {title}\n\n{}\n", table.to_markdown())).collect()
}

/// CSV with a row for each figure.
pub(crate) fn to_csv(profiles: &[(&str, &Profile)], nodes: u64) -> String {
    let mut table = Table::new(&["setting", "section", "row", "measure", "value"]);
    let layout = Layout::of(&profiles.iter().map(|(_, profile)| *profile).collect::<Vec<_>>(), nodes);
    for (setting, profile) in profiles {
        for section in sections(profile, &layout) {
            for FigureRow { name, figures } in &section.rows {
                for (measure, figure) in section.measures.iter().zip(figures) {
                    let Some(figure) = figure else { continue };
                    let words = [setting, section.key, name, measure].map(str::to_owned);
                    table.push(words.into_iter().chain([figure.value().to_string()]));
                }
            }
        }
    }
    table.to_csv()
}

/// JSON by section, row and measure; shares are percentages.
pub(crate) fn to_json(profile: &Profile, nodes: u64) -> Value {
    let figures = |section: &Section, row: &FigureRow| {
        let figures = section.measures.iter().zip(&row.figures);
        figures
            .map(|(measure, figure)| (measure.clone(), json!(figure.map(Figure::value))))
            .collect::<Value>()
    };
    let rows = |section: &Section| {
        section.rows.iter().map(|row| (row.name.clone(), figures(section, row))).collect::<Value>()
    };
    let sections = sections(profile, &Layout::of(&[profile], nodes));
    sections.iter().map(|section| (section.key.to_owned(), rows(section))).collect()
}

/// How figures are formatted.
#[derive(Copy, Clone)]
struct Style {
    cell: fn(Figure) -> String,
    /// For histograms, which have many columns.
    matrix: fn(Figure) -> String,
}

/// All tables that are not empty, with their titles.
fn tables(profiles: &[&Profile], nodes: u64, style: Style) -> Vec<(String, Table)> {
    let layout = Layout::of(profiles, nodes);
    let all: Vec<Vec<Section>> = profiles.iter().map(|profile| sections(profile, &layout)).collect();
    let Some(count) = all.first().map(Vec::len) else { return Vec::new() };
    let group = |index: usize| all.iter().map(|sections| &sections[index]).collect::<Vec<_>>();
    (0..count)
        .map(group)
        .flat_map(|group| match group[..] {
            [one] => vec![(one.title.to_owned(), measured(one, style))],
            [first, ..] if first.whole => COLUMNS
                .iter()
                .zip(&group)
                .map(|(name, section)| (format!("{}: {name}", section.title), measured(section, style)))
                .collect(),
            _ => compared(&group, style.cell),
        })
        .filter(|(_, table)| !table.rows.is_empty())
        .collect()
}

/// One section with a column per measure; rows of zeros are left out.
fn measured(section: &Section, style: Style) -> Table {
    let text = if section.whole { style.matrix } else { style.cell };
    let header: Vec<&str> =
        std::iter::once(section.row).chain(section.measures.iter().map(String::as_str)).collect();
    let mut table = Table::new(&header);
    for row in section.rows.iter().filter(|row| row.is_filled()) {
        let figures = row.figures.iter().map(|figure| figure.map(text).unwrap_or_default());
        table.push([row.name.clone()].into_iter().chain(figures));
    }
    table
}

/// For each measure a table of the settings and their ratio.
fn compared(group: &[&Section], text: fn(Figure) -> String) -> Vec<(String, Table)> {
    let Some(first) = group.first() else { return Vec::new() };
    let several = first.measures.len() > 1;
    let title =
        |measure: &str| if several { format!("{}: {measure}", first.title) } else { first.title.to_owned() };
    let one = |index: usize| {
        let mut table = Table::new(&[first.row, COLUMNS[0], COLUMNS[1], COLUMNS[2]]);
        for number in 0..first.rows.len() {
            let figures: Vec<Option<Figure>> =
                group.iter().map(|section| section.rows[number].figures[index]).collect();
            if figures.iter().flatten().any(|figure| figure.value() != 0.0) {
                let texts = figures.iter().map(|figure| figure.map(text).unwrap_or_default());
                let name = first.rows[number].name.clone();
                table.push([name].into_iter().chain(texts).chain([ratio(&figures)]));
            }
        }
        table
    };
    first.measures.iter().enumerate().map(|(index, measure)| (title(measure), one(index))).collect()
}

/// The second divided by the first, unless that is zero or unknown.
fn ratio(figures: &[Option<Figure>]) -> String {
    match figures {
        [Some(first), Some(second)] if first.value() != 0.0 => {
            format!("{:.2}", second.value() / first.value())
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::CompletedIterations;
    use super::*;
    use crate::depth::Depth;
    use crate::search::event::End;
    use crate::selective::METHODS;

    /// A profile with large numbers everywhere.
    fn full(nodes: u64) -> Profile {
        let iterations = (1..=30).map(|depth| (depth, depth as u64 * nodes / 30)).collect();
        let climb = CompletedIterations { position: 0, nodes, iterations };
        let mut profile =
            Profile { nodes, quiescence_nodes: nodes / 2, searches: vec![climb], ..Profile::default() };
        for plies in 0..=30 {
            let at = profile.at_depth(plies);
            (0..9).for_each(|by| at.reduce(Depth::plies(by)));
            at.by_plies = [nodes; 9];
            (at.nodes, at.reduced, at.again) = (nodes, nodes, nodes);
        }
        for method in METHODS {
            let used = profile.method_mut(method.id);
            (used.tries, used.successes, used.nodes) = (nodes, nodes, nodes);
        }
        End::ALL.iter().for_each(|end| profile.end(*end));
        profile
    }

    #[test]
    fn tables_fit_on_a_terminal() {
        let (one, two) = (full(987_654_321), full(1_234_567));
        for profiles in [&[&one][..], &[&one, &two]] {
            let text = to_text(profiles, 2_000_000_000, 80);
            let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
            assert!(widest.chars().count() <= 80, "{widest}");
            for word in ["null move", "singular, searched", "stand", "searched again", "40,960,000"] {
                assert!(text.contains(word), "{word}");
            }
        }
    }

    #[test]
    fn two_settings_have_their_ratio() {
        let profile = |nodes, quiescence_nodes| Profile { nodes, quiescence_nodes, ..Profile::default() };
        let (one, two) = (profile(2_000, 500), profile(3_000, 1_500));
        let text = to_markdown(&[&one, &two], 3_000);
        assert!(text.contains("| nodes | 2,000 | 3,000 | 1.50 |"), "{text}");
        assert!(text.contains("| nodes in quiescence search | 25.0 % | 50.0 % | 2.00 |"), "{text}");
        assert!(!text.contains("null move"), "nothing to see there");
    }

    #[test]
    fn values_for_programs_are_exact_and_name_their_setting() {
        let text = to_csv(&[("A", &full(1_234_567))], 2_000);
        assert!(
            text.starts_with("setting,section,row,measure,value\nA,overview,positions,value,1\n"),
            "{text}"
        );
        assert!(text.contains("\nA,overview,nodes,value,1234567\n"), "{text}");
        assert!(text.contains("A,reductions,30,8+,1234567\n"), "{text}");
    }
}
