//! Text for people: the greeting, the help, the board, and statistics of the methods.

use std::fmt::Write;

use crate::board::Position;
use crate::search::MethodStatistics;
use crate::text_table::fold;

/// The name the engine gives itself.
pub fn name() -> String {
    format!("Espalier {}", env!("CARGO_PKG_VERSION"))
}

/// The statistics for a terminal of this width.
pub(super) fn greeting(width: usize) -> String {
    let text = format!("{}, a UCI chess engine; help lists the commands, quit ends it", name());
    fold(&text, width).join("\n")
}

/// A method's share of a search.
pub(super) fn share(share: &MethodStatistics) -> String {
    format!(
        "info string method {:?} attempts {} successes {} ({:.1} %) nodes {} ({:.1} %)",
        share.method,
        share.attempts,
        share.successes,
        100.0 * share.success_rate,
        share.nodes,
        100.0 * share.node_share
    )
}

/// The board with FEN and key.
pub fn board(position: &Position) -> String {
    let mut text = String::from("\n +---+---+---+---+---+---+---+---+\n");
    for rank in shakmaty::Rank::ALL.into_iter().rev() {
        for file in shakmaty::File::ALL {
            let piece = position.board().piece_at(shakmaty::Square::from_coords(file, rank));
            let _ = write!(text, " | {}", piece.map_or(' ', |piece| piece.char()));
        }
        let _ = writeln!(text, " | {}\n +---+---+---+---+---+---+---+---+", rank.char());
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ = write!(
        text,
        "{} to move\nFen: {}\nKey: {:016X}\nCheckers: {}",
        position.turn().fold_wb("White", "Black"),
        position.fen(),
        position.key(),
        checkers.join(" ")
    );
    text
}

/// The commands that `help` lists, and what they do.
const COMMANDS: [(&str, &str); 19] = [
    ("uci", "names the engine and its options"),
    ("isready", "answers readyok, even during a search"),
    ("setoption name N value V", "sets an option (espalier options explains them)"),
    ("ucinewgame", "forgets the last game"),
    ("position startpos|fen F [moves M…]", "sets up a position"),
    (
        "go [depth|nodes|movetime|mate N] [wtime T btime T winc T binc T movestogo N] [searchmoves M…] [ponder] \
     [infinite]",
        "searches; stop ends it",
    ),
    ("go perft N", "counts the legal-move tree, move by move"),
    ("stop", "ends the search, which answers with its best move"),
    ("ponderhit", "the expected move was played: keep searching, on the clock"),
    ("quit", "ends the program"),
    ("d", "board, side to move, FEN, key and checkers"),
    ("flip", "exchanges the colours and the side to move"),
    ("eval", "static evaluation: the total, then term by term"),
    ("bench [DEPTH]", "searches a fixed set of positions"),
    ("debug on|off", "with on, counts what every selective method does"),
    ("setboard FEN", "this and the next two are for `learn weights`"),
    ("setparam W1 … Wn", "sets the weights of extensions"),
    ("gountil MOVE N", "searches until MOVE is found, N nodes at most"),
    ("help", "lists the commands"),
];

/// The output of `help`, folded to this width.
pub(super) fn help(width: usize) -> String {
    const COLUMN: usize = 25;
    let mut text = String::new();
    for (command, meaning) in COMMANDS {
        let mut heads = fold(command, width);
        // The meaning is beside a short command and below a long one.
        let beside = if command.chars().count() < COLUMN { heads.pop() } else { None };
        let mut head = beside.unwrap_or_default();
        for line in heads {
            let _ = writeln!(text, "{line}");
        }
        for line in fold(meaning, width.saturating_sub(COLUMN)) {
            let _ = writeln!(text, "{head:COLUMN$}{line}");
            head.clear();
        }
    }
    text + "\n" + &fold("espalier --help lists what can be done from the command line.", width).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greeting_and_help_fit_narrow_terminals_and_break_between_words() {
        for width in [60, 80] {
            let text = greeting(width) + "\n" + &help(width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
        let wide = help(100);
        assert!(
            wide.contains(
                "\nponderhit                the expected move was played: keep searching, on the clock\n"
            ),
            "{wide}"
        );
        assert!(
            wide.contains(
                "\nposition startpos|fen F [moves M…]\n                         sets up a position\n"
            )
        );
    }
}
