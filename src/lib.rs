//! Espalier: a UCI chess engine and a laboratory of selective game-tree search.
//!
//! # A tour
//!
//! The units come first: [`Score`] (centipawns and mates), [`Depth`] (hundredths of a ply), [`Window`] and
//! [`Bound`]. A [`Position`] is the rules of `shakmaty` plus the keys a search needs; it is copied and
//! played, never taken back. An [`Engine`] owns a game, a hash table and [`Options`], and searches:
//!
//! ```
//! use espalier::{Engine, Game, Limits, Position};
//!
//! let mut engine = Engine::default();
//! engine.set_option("NullMove", "false").unwrap();
//! let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1", false).unwrap();
//! engine.set_game(Game::new(position));
//! let outcome = engine.search(Limits::depth(4));
//! assert_eq!(outcome.score().unwrap().mate_in(), Some(1));
//! ```
//!
//! Below the engine is [`search`]: iterative deepening around two routines, one for the principal
//! variation and one that asks with a minimal window. The second is where the methods of [`selective`]
//! prune: each is one file, a pure function of its inputs, and never sees a board. To learn what they did,
//! give the search an [`observer`](search::observer); a search without one pays nothing.
//!
//! With few men on the board, [`search::syzygy`] knows the outcome.
//!
//! Every option is a row of one table, [`options`]; what a row says is what UCI shows, what
//! `--set NAME=VALUE` takes and what `docs/OPTIONS.md` lists.
//!
//! On top of the engine stand the tools: [`lab`] (matches, runs of test suites and published experiments), [`learn`]
//! (everything learned from games) and [`tree`] (recorded searches and the page that shows them). None of them knows
//! another. What they share lies below them: test suites ([`epd`]), games of the engine against itself (`self_play`),
//! how games end ([`adjudication`]) and what is kept of them ([`game_record`]), the errors of measured numbers
//! ([`statistics`]), where a result comes from (`provenance`), and how it is shown (`text_table`, `picture`) and
//! written (`files`).
//!
//! Arrows point one way, from a line to those below it; modules of one line do not know each other:
//!
//! ```text
//! cli
//! lab · learn
//! uci
//! tree · self_play · bench
//! engine · provenance
//! options · perft
//! search
//! selective · eval · adjudication
//! options::row · epd · game_record
//! board
//! score · depth · limits · random · parallel · statistics · files · text_table · picture
//! ```
//!
//! A test reads the `use` lines and fails on an arrow that points up. Nothing below [`uci`] knows the protocol, and the
//! search never prints. `docs/ARCHITECTURE.md` follows a `go` through these modules.

pub mod adjudication;
pub mod bench;
pub mod board;
pub mod cli;
pub mod depth;
pub mod engine;
pub mod epd;
pub mod eval;
pub(crate) mod files;
pub mod game_record;
pub mod lab;
pub mod learn;
pub mod limits;
pub mod options;
pub(crate) mod parallel;
pub mod perft;
pub(crate) mod picture;
pub(crate) mod provenance;
pub mod random;
pub mod score;
pub mod search;
pub mod selective;
pub(crate) mod self_play;
pub mod statistics;
pub(crate) mod text_table;
pub mod tree;
pub mod uci;

pub use board::{Game, PackedMove, Position};
pub use depth::Depth;
pub use engine::Engine;
pub use limits::Limits;
pub use options::Options;
pub use score::{Bound, MAX_PLY, Score, Window};
pub use search::{Handle, Outcome, Search};
