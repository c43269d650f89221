//! Charts as SVG.

use std::error::Error;
use std::ops::Range;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// Width and height in pixels.
const SIZE: (u32, u32) = (960, 500);

/// Margins in pixels: around a chart, and to its right for a legend.
const MARGIN: u32 = 12;
const LEGEND: u32 = 230;

/// Dark mode.
const STYLE: &str = "<style>@media (prefers-color-scheme: dark) { \
    rect[fill=\"#FFFFFF\"] { fill: #0d1117 } text { fill: #e6edf3 } \
    [stroke=\"#000000\"] { stroke: #8b949e } [stroke=\"#FFFFFF\"] { stroke: #0d1117 } \
    [fill=\"#3C3C3C\"] { fill: #b0b0b0 } [stroke=\"#3C3C3C\"] { stroke: #b0b0b0 } }</style>";

/// Colours of the series, colour-blind-safe ones first (Okabe & Ito, 2008).
const COLOURS: [RGBColor; 12] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
    RGBColor(130, 60, 160),
    RGBColor(140, 86, 75),
    RGBColor(150, 150, 20),
    RGBColor(220, 20, 60),
    RGBColor(160, 160, 160),
];

/// Lines over two axes, or dots in named rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub title: String,
    /// Label of the horizontal axis, with the unit.
    pub x: String,
    /// Label of the vertical axis, with the unit.
    pub y: String,
    pub series: Vec<Series>,
    /// Names of rows, if points are dots at `x` in row number `y` with error bars along the row; empty for lines.
    pub rows: Vec<String>,
}

/// Points joined by a line, with a name in the legend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The points from left to right.
    pub points: Vec<Point>,
}

/// A point with its error.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
    /// Half the length of the error bar; no bar is drawn for 0 and for infinity (unknown).
    pub error: f64,
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y, error: 0.0 }
    }
}

impl Series {
    /// A line through points without errors.
    pub(crate) fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { name: name.into(), points: points.into_iter().map(Point::from).collect() }
    }
}

impl Chart {
    /// Dots in rows: each row has a name and, for each series, a value and its error.
    pub(crate) fn in_rows<const N: usize>(
        title: &str,
        x: &str,
        series: [&str; N],
        rows: impl IntoIterator<Item = (String, [Option<(f64, f64)>; N])>,
    ) -> Self {
        let mut chart = Self { title: title.into(), x: x.into(), ..Self::default() };
        chart.series = series.map(|name| Series { name: name.into(), points: Vec::new() }).into();
        for (row, (name, values)) in rows.into_iter().enumerate() {
            chart.rows.push(name);
            for (series, value) in chart.series.iter_mut().zip(values) {
                series.points.extend(value.map(|(x, error)| Point { x, y: row as f64, error }));
            }
        }
        chart
    }

    /// The chart as SVG. Points that are not finite are left out.
    pub(crate) fn to_svg(&self) -> String {
        if self.rows.is_empty() { self.drawn(draw_series) } else { self.rows_drawn() }
    }

    /// The chart as SVG with its origin as metadata.
    pub(crate) fn to_svg_from(&self, origin: &str) -> String {
        with_origin(&self.to_svg(), origin)
    }

    /// The chart as a scatter plot.
    pub(crate) fn to_scatter_svg(&self) -> String {
        self.drawn(draw_dots)
    }

    fn rows_drawn(&self) -> String {
        let mut text = String::new();
        if let Err(error) = self.draw_rows(&mut text) {
            log::error!("the picture {:?} could not be drawn: {error}", self.title);
        }
        themed(&text)
    }

    fn draw_rows(&self, text: &mut String) -> Result<(), Box<dyn Error>> {
        let count = self.rows.len();
        let area = SVGBackend::with_string(text, (SIZE.0, 110 + 26 * count as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        let points = || self.series.iter().flat_map(|series| finite(&series.points));
        let across = span(points().flat_map(|point| [point.x - point.error, point.x + point.error]));
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(MARGIN)
            .margin_right(self.legend_width())
            .x_label_area_size(44)
            .y_label_area_size(230)
            .build_cartesian_2d(across, (0..(count - 1).max(1)).into_segmented())?;
        // The first row is at the top.
        let name = |row: &SegmentValue<usize>| match row {
            SegmentValue::CenterOf(row) => {
                count.checked_sub(1 + row).and_then(|row| self.rows.get(row)).cloned().unwrap_or_default()
            }
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_labels(count)
            .y_label_formatter(&name)
            .light_line_style(WHITE)
            .draw()?;
        for (series, colour) in self.series.iter().zip(COLOURS) {
            let place = |point: Point| SegmentValue::CenterOf(count.saturating_sub(1 + point.y as usize));
            let dots =
                finite(&series.points).map(|point| Circle::new((point.x, place(point)), 4, colour.filled()));
            chart.draw_series(dots)?;
            let bars = finite(&series.points).filter(|point| point.error > 0.0).map(|point| {
                let (low, high) = (point.x - point.error, point.x + point.error);
                ErrorBar::new_horizontal(place(point), low, point.x, high, colour.filled(), 8)
            });
            chart.draw_series(bars)?;
        }
        self.draw_legend(&area)?;
        area.present()?;
        Ok(())
    }

    /// Draws the legend to the right of the chart.
    fn draw_legend(&self, area: &Area<'_>) -> Result<(), Box<dyn Error>> {
        let left = area.dim_in_pixel().0 as i32 - LEGEND as i32 + 12;
        let named =
            self.series.iter().zip(COLOURS.iter().cycle()).filter(|(series, _)| !series.name.is_empty());
        for (row, (series, colour)) in named.enumerate() {
            let y = 48 + 22 * row as i32;
            area.draw(&Rectangle::new([(left, y), (left + 14, y + 10)], colour.filled()))?;
            area.draw(&Text::new(series.name.clone(), (left + 20, y - 1), ("sans-serif", 13)))?;
        }
        Ok(())
    }

    /// Width of the legend, or of the margin if no series has a name.
    fn legend_width(&self) -> u32 {
        if self.series.iter().any(|series| !series.name.is_empty()) { LEGEND } else { MARGIN }
    }

    fn drawn(&self, draw_one: DrawOne) -> String {
        let mut text = String::new();
        // Drawing into a string fails only for malformed charts, which `ranges` rules out.
        if let Err(error) = self.draw(&mut text, draw_one) {
            log::error!("the picture {:?} could not be drawn: {error}", self.title);
        }
        themed(&text)
    }

    fn draw(&self, text: &mut String, draw_one: DrawOne) -> Result<(), Box<dyn Error>> {
        let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        self.draw_on(&area, draw_one)?;
        area.present()?;
        Ok(())
    }

    fn draw_on(&self, area: &Area<'_>, draw_one: DrawOne) -> Result<(), Box<dyn Error>> {
        let (across, up) = self.ranges();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(MARGIN)
            .margin_right(self.legend_width())
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(across, up)?;
        chart.configure_mesh().x_desc(&self.x).y_desc(&self.y).light_line_style(WHITE).draw()?;
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            draw_one(&mut chart, series, *colour)?;
        }
        self.draw_legend(area)
    }

    /// Ranges of the axes, which include all error bars and are never empty.
    fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let points = || self.series.iter().flat_map(|series| finite(&series.points));
        let across = span(points().map(|point| point.x));
        let up = span(points().flat_map(|point| [point.y - point.error, point.y + point.error]));
        (across, up)
    }
}

/// Adds the style for dark mode.
fn themed(svg: &str) -> String {
    match svg.find("<svg").and_then(|begin| Some(begin + svg.get(begin..)?.find('>')? + 1)) {
        Some(inside) => format!("{}\n{STYLE}{}", &svg[..inside], &svg[inside..]),
        None => svg.to_owned(),
    }
}

/// Adds the origin of a picture as metadata.
pub(crate) fn with_origin(svg: &str, origin: &str) -> String {
    let origin = origin.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    svg.replacen("</svg>", &format!("<metadata>{origin}</metadata>\n</svg>"), 1)
}

/// Several charts as one SVG, two per row.
pub(crate) fn panels(charts: &[Chart]) -> String {
    let mut text = String::new();
    let rows = charts.len().div_ceil(2).max(1);
    let draw = |text: &mut String| -> Result<(), Box<dyn Error>> {
        let size = (2 * SIZE.0, rows as u32 * SIZE.1);
        let area = SVGBackend::with_string(text, size).into_drawing_area();
        area.fill(&WHITE)?;
        for (chart, part) in charts.iter().zip(area.split_evenly((rows, 2))) {
            chart.draw_on(&part, draw_series)?;
        }
        area.present()?;
        Ok(())
    };
    if let Err(error) = draw(&mut text) {
        log::error!("the pictures could not be drawn: {error}");
    }
    themed(&text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

type Cartesian<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws one series in its colour, as a line or as dots.
type DrawOne = fn(&mut Cartesian<'_, '_>, &Series, RGBColor) -> Result<(), Box<dyn Error>>;

fn draw_dots(chart: &mut Cartesian<'_, '_>, series: &Series, colour: RGBColor) -> Result<(), Box<dyn Error>> {
    let dots =
        finite(&series.points).map(|point| Circle::new((point.x, point.y), 2, colour.mix(0.5).filled()));
    chart.draw_series(dots)?;
    Ok(())
}

fn draw_series(
    chart: &mut Cartesian<'_, '_>,
    series: &Series,
    colour: RGBColor,
) -> Result<(), Box<dyn Error>> {
    let points = || finite(&series.points);
    let line = LineSeries::new(points().map(|point| (point.x, point.y)), colour.stroke_width(2));
    chart.draw_series(line.point_size(3))?;
    let bars = points().filter(|point| point.error > 0.0).map(|point| {
        let (low, high) = (point.y - point.error, point.y + point.error);
        ErrorBar::new_vertical(point.x, low, point.y, high, colour.filled(), 6)
    });
    chart.draw_series(bars)?;
    Ok(())
}

/// The points with finite coordinates; unknown errors become 0.
fn finite(points: &[Point]) -> impl Iterator<Item = Point> {
    let known = |error: f64| if error.is_finite() { error } else { 0.0 };
    let placed = points.iter().filter(|point| point.x.is_finite() && point.y.is_finite());
    placed.map(move |&point| Point { error: known(point.error), ..point })
}

/// The range of the numbers, extended by a twentieth on both sides.
fn span(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(n), high.max(n)));
    if low > high {
        return 0.0..1.0;
    }
    let room = if high > low { (high - low) / 20.0 } else { low.abs().max(1.0) / 20.0 };
    low - room..high + room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_shows_its_words_and_a_line_for_every_series() {
        let one = Series::new("first & best", [(1.0, 2.0), (2.0, 3.0), (3.0, f64::NAN)]);
        let two = Series { name: "two".into(), points: vec![Point { x: 1.0, y: 5.0, error: 1.0 }] };
        let chart = Chart {
            title: "Title".into(),
            x: "depth".into(),
            y: "nodes".into(),
            series: vec![one, two],
            ..Chart::default()
        };
        let text = chart.to_svg();
        for word in ["<svg", "Title", "depth", "nodes", "first &amp; best", "two", "</svg>"] {
            assert!(text.contains(word), "{word} is missing");
        }
        assert!(!text.contains("NaN"));
    }

    /// Finds errors in XML: mismatched tags, invalid comments, unescaped ampersands.
    fn xml_error(text: &str) -> Option<String> {
        let (mut open, mut rest) = (Vec::new(), text);
        while let Some(begin) = rest.find('<') {
            let (before, tag) = rest.split_at(begin);
            if let Some(at) = before.find('&').filter(|at| !before[*at..].contains(';')) {
                return Some(format!("a lone & in {:?}", &before[at..]));
            }
            if let Some(comment) = tag.strip_prefix("<!--") {
                let Some((inside, after)) = comment.split_once("-->") else {
                    return Some("a comment without an end".to_owned());
                };
                if inside.contains("--") {
                    return Some(format!("two hyphens in a comment: {inside:?}"));
                }
                rest = after;
                continue;
            }
            let Some(end) = tag.find('>') else { return Some(format!("no end: {tag:?}")) };
            let inside = &tag[1..end];
            let name = inside.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
            if inside.starts_with('/') {
                if open.pop() != Some(name) {
                    return Some(format!("</{name}> closes something else"));
                }
            } else if !inside.ends_with('/') && !inside.starts_with(['?', '!']) {
                open.push(name);
            }
            rest = &tag[end + 1..];
        }
        open.pop().map(|name| format!("<{name}> is not closed"))
    }

    #[test]
    fn every_picture_of_the_documents_is_xml_and_knows_the_dark() {
        assert!(xml_error("<svg><a></svg>").is_some() && xml_error("<svg><!-- a --b --></svg>").is_some());
        assert!(xml_error("<svg><!-- a </svg>").is_some());
        assert!(xml_error("<svg>a & b</svg>").is_some() && xml_error("<svg><a/></svg>").is_none());
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(xml_error(&text), None, "{}", path.display());
            assert!(text.contains("prefers-color-scheme: dark"), "{}", path.display());
            seen += 1;
        }
        assert!(seen > 20);
    }

    #[test]
    fn where_a_picture_comes_from_stands_in_it_as_text() {
        let text = Chart::default().to_svg_from("lab x --quick <a> & b");
        assert!(text.contains("<metadata>lab x --quick &lt;a&gt; &amp; b</metadata>\n</svg>"), "{text}");
        assert_eq!(text.matches("</svg>").count(), 1);
    }

    #[test]
    fn a_cloud_is_dots_without_lines() {
        let series = vec![Series::new("", [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)])];
        let chart = Chart { series, ..Chart::default() };
        let circles = |text: &str| text.matches("<circle").count();
        assert_eq!(circles(&chart.to_scatter_svg()), 3);
        assert!(
            chart.to_scatter_svg().matches("<polyline").count() < chart.to_svg().matches("<polyline").count()
        );
    }

    #[test]
    fn rows_have_their_names_dots_and_error_bars() {
        let rows = [
            ("upper".to_owned(), [Some((3.0, 1.0)), None]),
            ("lower".to_owned(), [Some((5.0, 0.0)), Some((4.0, f64::NAN))]),
        ];
        let text = Chart::in_rows("Elo", "points", ["ours", "published"], rows).to_svg();
        for word in ["upper", "lower", "ours", "published", "points", "</svg>"] {
            assert!(text.contains(word), "{word} is missing");
        }
        let place = |word: &str| text.find(word).unwrap();
        assert!(place("upper") != place("lower") && !text.contains("NaN"));
        // Three dots, one of them without a bar as its error is not known, and one in the middle of the bar.
        assert_eq!(text.matches("<circle").count(), 4);
    }

    #[test]
    fn panels_hold_every_chart() {
        let chart = |title: &str| Chart { title: title.into(), ..Chart::default() };
        let text = panels(&[chart("one"), chart("two"), chart("three")]);
        assert!(["one", "two", "three", "</svg>"].iter().all(|word| text.contains(word)));
    }

    #[test]
    fn nothing_and_a_single_point_can_be_drawn() {
        assert!(Chart::default().to_svg().contains("</svg>"));
        let series = vec![Series::new("one", [(0.0, 0.0)])];
        assert!(Chart { series, ..Chart::default() }.to_svg().contains("circle"));
    }
}
