//! `espalier export`.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use shakmaty::{Color, Role, Square};

use super::shared::PositionArguments;
use super::{Assignments, Failure, terminal};
use crate::board::Position;
use crate::options::Options;
use crate::uci;

/// Draws a position as text or SVG
#[derive(clap::Args)]
#[command(after_help = "Examples:
  espalier export --epd wac:1 --svg --out wac1.svg
  espalier export --moves e4 c5 Nf3")]
pub(super) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Draws an SVG picture
    #[arg(long)]
    svg: bool,
    /// Black is at the bottom of the picture
    #[arg(long, requires = "svg")]
    black: bool,
    /// Writes to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let game = self.position.game(options.chess960)?;
        let bottom = if self.black { Color::Black } else { Color::White };
        let text = match self.svg {
            true => svg(game.position(), bottom),
            false => uci::board(game.position()) + "\n",
        };
        match &self.out {
            Some(path) => terminal::write_file(path, text),
            None => Ok(out.write_all(text.as_bytes())?),
        }
    }
}

/// Width of a square in the picture.
const SIDE: u32 = 45;

/// The board as an SVG picture. Pieces are Unicode characters, which the fonts of every system have.
fn svg(position: &Position, bottom: Color) -> String {
    let whole = 8 * SIDE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {whole}\" width=\"{whole}\" \
         height=\"{whole}\">\n<title>{}</title>\n",
        position.fen()
    );
    for square in Square::ALL {
        let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
        let (column, row) = match bottom {
            Color::White => (file, 7 - rank),
            Color::Black => (7 - file, rank),
        };
        let (x, y) = (column * SIDE, row * SIDE);
        let fill = if square.is_light() { "#f0d9b5" } else { "#b58863" };
        let _ =
            writeln!(text, "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\"/>");
        if let Some(piece) = position.board().piece_at(square) {
            let (fill, stroke) = if piece.color.is_white() { ("#fff", "#000") } else { ("#000", "#000") };
            let _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" font-size=\"38\" text-anchor=\"middle\" fill=\"{fill}\" \
                 stroke=\"{stroke}\">{}</text>",
                x + SIDE / 2,
                y + 36,
                letter(piece.role)
            );
        }
    }
    text + "</svg>\n"
}

fn letter(role: Role) -> char {
    match role {
        Role::King => '♚',
        Role::Queen => '♛',
        Role::Rook => '♜',
        Role::Bishop => '♝',
        Role::Knight => '♞',
        Role::Pawn => '♟',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_every_square_and_piece_and_turns_round() {
        let position = Position::default();
        let picture = svg(&position, Color::White);
        assert_eq!((picture.matches("<rect").count(), picture.matches("<text").count()), (64, 32));
        assert_eq!(picture.matches('♟').count(), 16);
        assert!(picture.contains(&position.fen()));
        let king = |bottom| {
            let picture = svg(&Position::from_fen("8/8/8/8/8/8/8/K6k w - - 0 1", false).unwrap(), bottom);
            picture.lines().find(|line| line.contains("#fff")).map(str::to_owned)
        };
        assert_ne!(king(Color::White), king(Color::Black));
    }
}
