//! Search trees as files: recorded, reorganised, read, and shown in a browser.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, appendix A. A
//! [`Recorder`] is an observer that writes every node as the search leaves it; when the search is over the
//! file is rewritten once, breadth-first, so that the children of a node are one contiguous read. A
//! [`Recording`] reads such a file, and [`page`] makes a page that shows it. `docs/TREE.md` describes the
//! format.
//!
//! ```
//! use espalier::tree::{self, Keep, Recording};
//! use espalier::{Engine, Limits, Search};
//!
//! let path = std::env::temp_dir().join(format!("espalier-tour-{}.tree", std::process::id()));
//! let mut engine = Engine::default();
//! let search = tree::recorded(Search::new(Limits::depth(5)), &engine, &path, Keep::All);
//! let outcome = engine.start(search).wait();
//! assert_eq!(outcome.recorded.as_ref().unwrap().as_ref().unwrap().nodes, outcome.effort.nodes);
//!
//! let recording = Recording::open(&path).unwrap();
//! let tree = recording.tree(4).unwrap();
//! // Windows that failed come before it.
//! let root = *tree.children(0).unwrap().last().unwrap();
//! assert_eq!(root.value, outcome.score().unwrap());
//! # std::fs::remove_file(&path).unwrap();
//! ```

pub mod compare;
mod draft;
pub mod file;
mod header;
pub mod import;
pub mod left_out;
pub mod legend;
mod lists;
pub mod marks;
pub mod node;
mod open;
pub mod page;
mod recorder;
pub mod summary;

pub use file::{FileError, Recording, Tree};
pub use node::TreeNode;
pub use recorder::{Keep, Recorder};
pub use summary::{Meta, TreeSummary};

pub use crate::search::Written;

use std::path::Path;

use crate::board::Game;
use crate::engine::Engine;
use crate::options::{self, Effect, Options};
use crate::search::Search;

/// Records the tree of a search of this engine's position in a file; [`Outcome::recorded`] has the result. If the file
/// cannot be written, the search runs all the same.
///
/// [`Outcome::recorded`]: crate::Outcome::recorded
pub fn recorded(search: Search, engine: &Engine, path: &Path, keep: Keep) -> Search<Recorder> {
    let subject = Subject::new(engine.game(), engine.options());
    let (recorder, refused) = match Recorder::new(path, keep) {
        Ok(recorder) => (recorder, None),
        Err(error) => (Recorder::default(), Some(format!("no recording: {}: {error}", path.display()))),
    };
    search.observer(recorder).conclude(move |outcome, recorders| {
        outcome.recorded = Some(match (refused, recorders.drain(..).next()) {
            (Some(refused), _) => Err(refused),
            (None, Some(recorder)) => recorder.finish(&subject),
            (None, None) => Err("the search ended without a tree".to_owned()),
        });
    })
}

/// What was searched, and by whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// FEN of the root.
    pub fen: String,
    /// Whether castling is written as king takes rook.
    pub chess960: bool,
    /// Options that differ from their defaults, with their values.
    pub options: Vec<(String, String)>,
    /// The program that searched; `None` for this one.
    pub program: Option<String>,
    /// Names of reasons that are not built in: see `docs/TREE.md`.
    pub reasons: Vec<String>,
}

impl Subject {
    /// A search of this game with these options.
    pub fn new(game: &Game, asked: &Options) -> Self {
        let changed = options::rows()
            .filter(|row| row.effect != Effect::RecordTrees && row.read(asked) != row.kind.default_text())
            .map(|row| (row.name.to_owned(), row.read(asked)));
        Self {
            fen: game.position().fen(),
            chess960: asked.chess960,
            options: changed.collect(),
            ..Self::default()
        }
    }
}
