//! The queue of commands that wait for the end of a search.

use std::collections::VecDeque;

use super::command::Command;
use super::solver::SolverCommand;

/// Most waiting commands.
pub(super) const MOST_COMMANDS: usize = 100_000;
/// Most bytes of waiting commands.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// Commands in the order of their arrival.
#[derive(Default)]
pub(super) struct Waiting {
    commands: VecDeque<Command>,
    bytes: usize,
    /// Numbers of waiting commands that begin work, and of those for `gountil`.
    starts: usize,
    untils: usize,
    dropped: Dropped,
}

/// Commands that did not fit into the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dropped {
    /// Number of dropped commands.
    pub commands: usize,
    /// Number of dropped searches, each of which must still be answered.
    pub searches: usize,
    /// Whether a position was dropped, so that the next search would be of a wrong one.
    pub position: bool,
}

impl Waiting {
    /// Queues a command, or counts it as dropped. After a dropped command all others are dropped until the queue is empty,
    /// so that their order is kept; only `stop` and `ponderhit` are always queued.
    pub(super) fn push(&mut self, command: Command) {
        if is_signal(&command) {
            // Repetitions have no effect, so at most two are kept.
            let mut last = self.commands.iter().rev().take_while(|last| is_signal(last));
            if !last.any(|last| *last == command) {
                self.commands.push_back(command);
            }
            return;
        }
        let size = size(&command);
        let full = self.commands.len() >= MOST_COMMANDS || self.bytes + size > MOST_BYTES;
        if full || self.dropped.commands > 0 {
            self.dropped.commands += 1;
            self.dropped.searches += usize::from(is_search(&command));
            self.dropped.position |=
                matches!(command, Command::Position { .. } | Command::BadPosition(_) | Command::Flip);
            return;
        }
        self.count(&command, 1);
        self.bytes += size;
        self.commands.push_back(command);
    }

    /// The next command.
    pub(super) fn front(&self) -> Option<&Command> {
        self.commands.front()
    }

    /// Removes the next command.
    pub(super) fn pop(&mut self) -> Option<Command> {
        let command = self.commands.pop_front()?;
        if !is_signal(&command) {
            self.count(&command, -1);
            self.bytes = self.bytes.saturating_sub(size(&command));
        }
        Some(command)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Whether running work should end, because a command that begins work waits or was dropped.
    pub(super) fn has_start(&self) -> bool {
        self.starts > 0 || self.dropped.searches > 0
    }

    /// Whether a command waits that begins work other than `gountil`.
    pub(super) fn has_other_start(&self) -> bool {
        self.starts > self.untils
    }

    /// What was dropped since the last call; to be called when the queue is empty.
    pub(super) fn take_dropped(&mut self) -> Option<Dropped> {
        let dropped = std::mem::take(&mut self.dropped);
        (dropped.commands > 0).then_some(dropped)
    }

    /// Whether exactly one command has been dropped.
    pub(super) fn begins_to_drop(&self) -> bool {
        self.dropped.commands == 1
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn count(&mut self, command: &Command, by: isize) {
        self.starts = self.starts.saturating_add_signed(if is_start(command) { by } else { 0 });
        self.untils = self.untils.saturating_add_signed(if is_until(command) { by } else { 0 });
    }
}

/// Whether a command begins work and ends running work.
fn is_start(command: &Command) -> bool {
    is_search(command) || matches!(command, Command::Bench(_)) || is_until(command)
}

/// Whether a command is for a running search.
pub(super) fn is_signal(command: &Command) -> bool {
    matches!(command, Command::Stop | Command::PonderHit)
}

/// Whether the client waits for an answer to a command.
fn is_search(command: &Command) -> bool {
    matches!(command, Command::Go(_) | Command::Perft(_))
}

fn is_until(command: &Command) -> bool {
    matches!(command, Command::Solver(SolverCommand::GoUntil { .. }))
}

/// Approximate size of a command in memory.
fn size(command: &Command) -> usize {
    let words = |words: &[String]| words.iter().map(|word| size_of::<String>() + word.len()).sum::<usize>();
    size_of::<Command>()
        + match command {
            Command::SetOption { name, value } => name.len() + value.len(),
            Command::Position { fen, moves } => fen.as_ref().map_or(0, String::len) + words(moves),
            Command::Go(go) => words(&go.search_moves) + words(&go.ignored),
            Command::Solver(SolverCommand::SetBoard(fen)) => fen.len(),
            Command::Solver(SolverCommand::GoUntil { moves, .. }) => words(moves),
            Command::BadPosition(what) | Command::Malformed(what) => what.len(),
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::command::parse;

    fn read(text: &str) -> Command {
        parse(text.as_bytes())
    }

    #[test]
    fn commands_come_out_as_they_went_in_and_signals_once() {
        let mut waiting = Waiting::default();
        for text in ["position startpos", "go infinite", "stop", "stop", "ponderhit", "gountil e2e4 5"] {
            waiting.push(read(text));
        }
        assert!(waiting.has_start() && waiting.has_other_start());
        let mut out = Vec::new();
        while let Some(command) = waiting.pop() {
            out.push(command.to_string());
        }
        assert_eq!(out, ["position startpos", "go infinite", "stop", "ponderhit", "gountil e2e4 5"]);
        assert!(!waiting.has_start() && waiting.bytes == 0 && waiting.take_dropped().is_none());
    }

    #[test]
    fn there_is_an_end_to_what_waits_and_searches_are_counted() {
        let mut waiting = Waiting::default();
        (0..MOST_COMMANDS).for_each(|_| waiting.push(read("ucinewgame")));
        assert!(!waiting.begins_to_drop());
        waiting.push(read("position startpos"));
        assert!(waiting.begins_to_drop());
        waiting.push(read("go depth 3"));
        waiting.push(read("stop"));
        assert_eq!(waiting.commands.len(), MOST_COMMANDS + 1);
        assert!(waiting.has_start(), "a search that was dropped ends the one under way");
        waiting.pop();
        waiting.push(read("ucinewgame"));
        let dropped = waiting.take_dropped();
        assert_eq!(dropped, Some(Dropped { commands: 3, searches: 1, position: true }));
        waiting.clear();
        waiting.push(read("go infinite"));
        (0..1_000).for_each(|_| ["stop", "ponderhit"].into_iter().for_each(|text| waiting.push(read(text))));
        assert_eq!(waiting.commands.len(), 3, "there is an end to signals, too");
        waiting.clear();
        let long = Command::SetOption { name: "x".into(), value: "y".repeat(MOST_BYTES / 4) };
        (0..4).for_each(|_| waiting.push(long.clone()));
        assert_eq!((waiting.commands.len(), waiting.take_dropped().unwrap().commands), (3, 1));
    }
}
