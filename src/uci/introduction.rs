//! What a client sets between `uci` and its next other command: there the order does not matter.
//!
//! A preset undoes what was set before it. But some GUIs (Cute Chess) send their options in alphabetical order, and all of
//! them, changed or not. So in the introduction an option that differs from what `uci` announced outlasts a preset that
//! comes after it; the preset that is set already undoes nothing; and of a client that sends every option, those as
//! announced leave a new preset as it is.

use super::command::Command;
use crate::options::{self, Effect, Kind, Options};

/// So many options as announced are sent only by clients that send all.
const SENDS_ALL: usize = 16;

/// The introduction of a client; closed until it says `uci`.
#[derive(Default)]
pub(super) struct Introduction(Option<Begun>);

struct Begun {
    /// What `uci` announced.
    announced: Options,
    /// With the preset that was set last.
    now: Options,
    /// Options that a preset would undo, and their values: those that differ from what was announced.
    changed: Vec<(String, String)>,
    /// How many options were sent as announced.
    repeated: usize,
}

impl Introduction {
    /// After `uci`.
    pub(super) fn open(announced: Options, now: Options) -> Self {
        Self(Some(Begun { announced, now, changed: Vec::new(), repeated: 0 }))
    }

    /// The commands to obey in place of this one.
    pub(super) fn pass(&mut self, command: Command) -> Vec<Command> {
        match (&mut self.0, command) {
            (Some(begun), Command::SetOption { name, value }) => begun.set(name, value),
            (begun, command) => {
                if !matches!(command, Command::Debug(_)) {
                    *begun = None;
                }
                vec![command]
            }
        }
    }
}

impl Begun {
    fn set(&mut self, name: String, value: String) -> Vec<Command> {
        let command = || Command::SetOption { name: name.clone(), value: value.clone() };
        let known = options::row(&name).filter(|row| !matches!(row.kind, Kind::Button));
        let mut asked = self.announced.clone();
        let Some(row) = known.filter(|row| row.write(&mut asked, &value).is_ok()) else {
            return vec![command()];
        };
        if row.effect == Effect::ApplyPreset {
            if asked.preset == self.now.preset {
                return Vec::new();
            }
            self.now.preset = asked.preset;
            let again = self.changed.iter().cloned();
            let again = again.map(|(name, value)| Command::SetOption { name, value });
            return [command()].into_iter().chain(again).collect();
        }
        let of_preset = options::is_set_by_presets(row);
        self.changed.retain(|(changed, _)| !changed.eq_ignore_ascii_case(&name));
        if row.differs(&asked, &self.announced) {
            if of_preset {
                self.changed.push((name.clone(), value.clone()));
            }
        } else {
            self.repeated += 1;
            let other_preset = self.now.preset != self.announced.preset;
            if of_preset && other_preset && self.repeated >= SENDS_ALL {
                return Vec::new();
            }
        }
        vec![command()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The options after a client has said `uci` to an engine started with these, and sent those, in this order.
    fn introduced<'a>(start: &Options, sent: impl Iterator<Item = (&'a str, String)>) -> Options {
        let mut options = start.clone();
        let mut introduction = Introduction::open(start.clone(), start.clone());
        for (name, value) in sent {
            let command = Command::SetOption { name: name.to_owned(), value };
            for command in introduction.pass(command) {
                let Command::SetOption { name, value } = command else { panic!("{command:?}") };
                options.set(&name, &value).unwrap();
            }
        }
        options
    }

    fn with(assignments: &[(&str, &str)]) -> Options {
        let mut options = Options::default();
        assignments.iter().for_each(|(name, value)| options.set(name, value).unwrap());
        options
    }

    /// Every option as announced by an engine started with these, but for those; by name or as listed.
    fn all<'a>(start: &Options, but: &[(&str, &str)], by_name: bool) -> Vec<(&'a str, String)> {
        let value = |row: &options::OptionRow| {
            let changed = but.iter().find(|(name, _)| *name == row.name);
            changed.map_or_else(|| row.read(start), |(_, value)| (*value).to_owned())
        };
        let rows = options::listed(options::Listing::All).filter(|row| !matches!(row.kind, Kind::Button));
        let mut sent: Vec<_> = rows.map(|row| (row.name, value(row))).collect();
        if by_name {
            sent.sort();
        }
        sent
    }

    #[test]
    fn a_gui_that_sends_every_option_gets_the_preset_and_the_changes_that_it_shows() {
        for start in [Options::default(), with(&[("Preset", "Crafty"), ("CounterMoves", "true")])] {
            for chosen in [
                &[("NullMove", "false"), ("Singular", "true")][..],
                &[("Preset", "Turk")],
                &[("Preset", "Turk"), ("MultiCut", "true"), ("RankCut", "true"), ("Hash", "64")],
            ] {
                let mut expected = start.clone();
                let presets_first = |(name, _): &&(&str, &str)| *name != "Preset";
                let (others, presets): (Vec<_>, Vec<_>) = chosen.iter().partition(presets_first);
                for (name, value) in presets.into_iter().chain(others) {
                    expected.set(name, value).unwrap();
                }
                for by_name in [true, false] {
                    let options = introduced(&start, all(&start, chosen, by_name).into_iter());
                    let wrong: Vec<_> = options::rows()
                        .filter(|row| row.differs(&options, &expected))
                        .map(|row| row.name)
                        .collect();
                    assert!(wrong.is_empty(), "{chosen:?}, by name {by_name}: {wrong:?}");
                }
            }
        }
    }

    #[test]
    fn a_client_that_sends_a_few_options_gets_them_in_any_order() {
        let start = Options::default();
        let expected = with(&[("Preset", "Turk"), ("MultiCut", "true"), ("NullMove", "false")]);
        let mut sent = [("MultiCut", "true"), ("NullMove", "false"), ("Preset", "Turk")];
        for turns in 0..3 {
            let options = introduced(&start, sent.iter().map(|(name, value)| (*name, (*value).to_owned())));
            assert!(options::rows().all(|row| !row.differs(&options, &expected)), "{turns}");
            sent.rotate_left(1);
        }
        // The default behind another preset is a wish like any other.
        let sent = [("Preset", "Turk"), ("LateMoveReductions", "true")];
        let options = introduced(&start, sent.iter().map(|(name, value)| (*name, (*value).to_owned())));
        assert_eq!(options.changed_from_preset(), ["LateMoveReductions"]);
    }

    #[test]
    fn after_the_introduction_options_are_set_in_the_order_in_which_they_come() {
        let mut introduction = Introduction::open(Options::default(), Options::default());
        assert_eq!(introduction.pass(Command::IsReady), [Command::IsReady]);
        let preset = Command::SetOption { name: "Preset".to_owned(), value: "Modern".to_owned() };
        assert_eq!(introduction.pass(preset.clone()), [preset]);
    }
}
