//! Published selective-search methods, one file per paper.
//!
//! *Asked and resolved are two types*: a method's `Settings` are what the user typed; at `go` they become
//! a `Rule` of plain numbers. *Plan, probe, conclude*: a method never recurses and never sees a board. It
//! looks at [`Facts`], may ask for one search (a [`Probe`]), and judges its value. A method that is off has
//! a threshold no node reaches, not one more branch.

pub mod capture_futility;
pub mod capture_prob_cut;
pub mod check_cut;
pub mod deep_futility;
pub mod delta;
#[cfg(test)]
pub mod example;
pub mod extended_futility;
pub mod extensions;
pub mod futility;
pub mod hindsight;
pub mod history_pruning;
pub mod internal_iterative_reduction;
pub mod late_move_pruning;
pub mod late_moves;
pub mod multi_cut;
pub mod n_best;
pub mod null_move;
pub mod prob_cut;
pub mod quiescence_razoring;
pub mod rank_cut;
pub mod rank_table;
pub mod razoring;
pub mod reverse_futility;
pub mod see_pruning;
pub mod singular;
pub mod static_singular;
pub mod tapered;
pub mod uncertainty;

use crate::board::GamePhase;
use crate::depth::Depth;
use crate::options::row::{Declared, Holds, Row};
use crate::score::{Bound, Score};

/// A method as tables, statistics and documents know it.
pub struct Method {
    /// Names it in statistics and recorded trees.
    pub id: Id,
    /// Label, paper, variants and the like.
    pub about: About,
    /// Its options; the first one is its switch.
    pub rows: &'static [Row<Settings>],
}

impl Method {
    /// The option that switches it on.
    pub fn switch(&self) -> &'static str {
        self.rows[0].name
    }
}

/// What the file of a method declares besides its options.
#[derive(Copy, Clone, Debug)]
pub struct About {
    /// In words, for tables.
    pub label: &'static str,
    /// Whose idea it is.
    pub paper: &'static str,
    /// Forms of it that experiments compare: a label, and what is set besides the switch.
    pub variants: &'static [(&'static str, &'static [&'static str])],
    /// How it marks the nodes of a recorded tree where it acted, if not by their end.
    pub mark: Option<Mark>,
    /// What the search must do for it at every node.
    pub needs: &'static [Need],
}

/// A bit of a node in a recorded tree that says that a method acted there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Stored in recordings, so it never changes.
    pub bit: u16,
    /// Its meaning holds in quiescence nodes only, in other nodes only, or in all.
    pub quiescence: Option<bool>,
    /// Its name in files.
    pub name: &'static str,
    /// In words.
    pub label: &'static str,
    /// The rule behind the moves left out there, if the method leaves out moves.
    pub leaves_out: Option<LeavesOut>,
}

/// A rule that leaves out moves. Methods of one family share a rule, as futility and deep futility do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LeavesOut {
    /// What it is called beside a move.
    pub name: &'static str,
    /// What its number means.
    pub by: LeavesOutBy,
}

/// The meaning of the number by which a rule leaves out a move.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeavesOutBy {
    /// The most that the move could reach.
    Reach,
    /// Quiet moves after this many are left out.
    QuietCount,
    /// All moves after this many are left out.
    Count,
    /// The history that a quiet move must have.
    History,
    /// Centipawns that the move must win in its exchange.
    Exchange,
}

impl LeavesOutBy {
    /// The rule never leaves out captures.
    pub fn spares_captures(self) -> bool {
        matches!(self, Self::QuietCount | Self::History)
    }
}

/// What a method may ask of the search at every node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The static value, even at the last ply.
    Eval,
    /// Quiet moves are judged one by one.
    EachMove,
}

/// Settings of a method, which become its rule at `go`.
pub trait Resolve {
    /// Plain numbers.
    type Rule: Copy;

    /// The rule these settings mean.
    fn resolve(&self) -> Self::Rule;

    /// A warning about contradictory settings, or settings that make no sense.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Declares a method: what tables say about it, and its options (see
/// [`settings!`](crate::options::row::settings)); the first one is its switch and is called `on`.
///
/// ```text
/// method! {
///     "label", "Author 1999";
///     variant "another form" = ["Option=true"];
///     mark 64 anywhere "name-in-files" "what it did, in words" leaves_out "name of the rule" by Reach;
///     needs Eval;
///     pub struct Settings {
///         /// Switches it on.
///         on: "Option" = true;
///     }
/// }
/// ```
macro_rules! method {
    (
        $label:literal, $paper:literal;
        $(variant $variant:literal = $settings:tt;)*
        $(
            mark $bit:literal $place:ident $mark:literal $words:literal
            $(leaves_out $rule:literal by $number:ident)?;
        )?
        $(needs $need:ident;)*
        pub struct Settings { $($parameters:tt)+ }
    ) => {
        $crate::options::row::settings! {
            /// The options of this method, as the user set them.
            pub struct Settings { $($parameters)+ }
        }

        /// What tables say about this method.
        pub const ABOUT: $crate::selective::About = $crate::selective::About {
            label: $label,
            paper: $paper,
            variants: &[$(($variant, &$settings)),*],
            mark: $crate::selective::method!(@mark $($bit $place $mark $words $($rule $number)?)?),
            needs: &[$($crate::selective::Need::$need),*],
        };
    };

    (@mark) => { None };
    (@mark $bit:literal $place:ident $name:literal $label:literal $($rule:literal $number:ident)?) => {
        Some($crate::selective::Mark {
            bit: $bit,
            quiescence: $crate::selective::method!(@place $place),
            name: $name,
            label: $label,
            leaves_out: $crate::selective::method!(@leaves_out $($rule $number)?),
        })
    };
    (@leaves_out) => { None };
    (@leaves_out $rule:literal $number:ident) => {
        Some($crate::selective::LeavesOut { name: $rule, by: $crate::selective::LeavesOutBy::$number })
    };
    (@place anywhere) => { None };
    (@place quiescence) => { Some(true) };
    (@place elsewhere) => { Some(false) };
}

/// Declares what the search reads of a method: plain numbers, each with what it is resolved from. After
/// `asked`, `note f` names a function of the settings that returns a warning about them, if there is one.
///
/// ```text
/// rule! { asked =>
///     min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
///     margin: i32 = asked.margin;
/// }
/// ```
macro_rules! rule {
    (
        $asked:ident $(, note $note:ident)? =>
        $($(#[$meta:meta])* $vis:vis $field:ident: $type:ty = $value:expr;)+
    ) => {
        /// What the search reads: the settings, resolved at `go`.
        #[derive(Copy, Clone, Debug)]
        pub struct Rule {
            $($(#[$meta])* $vis $field: $type),+
        }

        impl $crate::selective::Resolve for Settings {
            type Rule = Rule;

            fn resolve(&self) -> Rule {
                let $asked = self;
                Rule { $($field: $value),+ }
            }

            $(fn note(&self) -> Option<String> {
                self.$note()
            })?
        }
    };
}

use method;
pub(crate) use rule;

/// Makes everything that follows from having all methods: names, settings, rules and descriptions.
macro_rules! methods {
    ($($(#[$meta:meta])* $id:ident $module:ident),+ $(,)?) => {
        /// Names a method wherever one is counted, drawn or logged.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Id {
            $($(#[$meta])* #[doc = concat!("See [`", stringify!($module), "`].")] $id),+
        }

        /// Every method, in the order of their [`Id`]s.
        pub const METHODS: &[Method] = &[$($(#[$meta])* Method {
            id: Id::$id,
            about: $module::ABOUT,
            rows: <$module::Settings as Declared<Settings>>::ROWS,
        }),+];

        /// What the user asked for.
        #[derive(Clone, Debug, PartialEq, Default)]
        pub struct Settings {
            $($(#[$meta])* #[doc = concat!("See [`", stringify!($module), "`].")]
            pub $module: $module::Settings),+
        }

        /// What the search reads: plain numbers, fixed for one `go`.
        #[derive(Copy, Clone, Debug)]
        pub struct MethodRules {
            $($(#[$meta])* #[doc = concat!("See [`", stringify!($module), "`].")]
            pub $module: $module::Rule),+
        }

        impl Settings {
            /// The rules these settings mean.
            pub fn resolve(&self) -> MethodRules {
                MethodRules { $($(#[$meta])* $module: self.$module.resolve()),+ }
            }

            /// Whether a method has anything to do.
            pub fn is_on(&self, method: Id) -> bool {
                match method { $($(#[$meta])* Id::$id => self.$module.on),+ }
            }

            /// Switches every method off.
            pub fn switch_off(&mut self) {
                $($(#[$meta])* { self.$module.on = false; })+
            }

            /// Warnings about contradictory settings, or settings that make no sense.
            pub fn notes(&self) -> Vec<String> {
                [$($(#[$meta])* self.$module.note()),+].into_iter().flatten().collect()
            }
        }

        $($(#[$meta])* impl<S: Holds<Settings>> Holds<$module::Settings> for S {
            fn part(&self) -> &$module::Settings {
                &Holds::<Settings>::part(self).$module
            }

            fn part_mut(&mut self) -> &mut $module::Settings {
                &mut Holds::<Settings>::part_mut(self).$module
            }
        })+

        /// The rows of all methods, as rows of any settings that hold theirs.
        pub fn rows<S: Holds<Settings>>() -> impl Iterator<Item = &'static Row<S>> {
            [$($(#[$meta])* <$module::Settings as Declared<S>>::ROWS),+].into_iter().flatten()
        }
    };
}

methods! {
    NullMove null_move,
    MultiCut multi_cut,
    Uncertainty uncertainty,
    Extensions extensions,
    RankCut rank_cut,
    Futility futility,
    ExtendedFutility extended_futility,
    DeepFutility deep_futility,
    Razoring razoring,
    QuiescenceRazoring quiescence_razoring,
    ProbCut prob_cut,
    NBest n_best,
    Tapered tapered,
    Singular singular,
    StaticSingular static_singular,
    LateMoves late_moves,
    LateMovePruning late_move_pruning,
    HistoryPruning history_pruning,
    ReverseFutility reverse_futility,
    SeePruning see_pruning,
    InternalIterativeReduction internal_iterative_reduction,
    CaptureProbCut capture_prob_cut,
    Delta delta,
    Hindsight hindsight,
    CaptureFutility capture_futility,
    CheckCut check_cut,
    #[cfg(test)]
    Example example,
}

impl Holds<Settings> for Settings {
    fn part(&self) -> &Settings {
        self
    }

    fn part_mut(&mut self) -> &mut Settings {
        self
    }
}

impl Id {
    /// Label, paper, variants and the like.
    pub fn about(self) -> &'static About {
        &METHODS[self as usize].about
    }
}

impl Settings {
    /// Some method is on.
    pub fn any_is_on(&self) -> bool {
        METHODS.iter().any(|method| self.is_on(method.id))
    }

    /// Some method that is on needs this.
    pub fn needs(&self, need: Need) -> bool {
        METHODS.iter().any(|method| method.about.needs.contains(&need) && self.is_on(method.id))
    }
}

/// More centipawns than two scores can differ by: the resolved form of a margin that is off.
const NEVER: i32 = 4 * Score::INFINITE.raw();

/// Centipawns that a single move may gain before it is judged futile.
#[derive(Copy, Clone, Debug)]
pub struct MoveGain {
    /// What every move may gain.
    pub base: i32,
    /// What it may gain besides with each remaining ply.
    pub per_ply: i32,
    /// Points of history worth a centipawn; 0 for none.
    pub history: i32,
}

impl MoveGain {
    /// What these rows ask for, in the order of the fields.
    pub(super) const fn of(base: i32, per_ply: i32, history: i32) -> Self {
        Self { base, per_ply, history }
    }

    /// What a move may gain besides by its history; negative for a bad one.
    #[inline]
    pub fn by_history(&self, history: i32) -> i32 {
        history.checked_div(self.history).unwrap_or(0)
    }
}

/// Everything a method may look at before the move loop of a minimal-window node.
#[derive(Copy, Clone, Debug)]
pub struct Facts {
    /// Remaining depth.
    pub depth: Depth,
    /// The node asks whether its value is at least this.
    pub beta: Score,
    /// The lower end of its window: a point below beta, except in the principal variation.
    pub alpha: Score,
    /// The answer is expected to be yes.
    pub cut: bool,
    /// Static value, or the hash table's where that is a better bound; [`Score::NONE`] in check.
    pub eval: Score,
    /// Static value alone; [`Score::NONE`] in check.
    pub static_eval: Score,
    /// It has risen since the mover's last move.
    pub improving: bool,
    /// By how many centipawns it has risen since the mover's last move.
    pub improvement: i32,
    /// The node is one of the principal variation.
    pub pv: bool,
    /// It is, or has been, part of a principal variation.
    pub was_pv: bool,
    /// History of the move that led here; 0 if it was not looked up.
    pub last_history: i32,
    /// Moves of the path that were extended by two plies.
    pub doubles: u8,
    /// The side to move is in check.
    pub in_check: bool,
    /// The side to move has more than king and pawns.
    pub has_pieces: bool,
    /// The phase of the game.
    pub phase: GamePhase,
    /// The move that led here was a null move.
    pub after_null: bool,
    /// The null move is forbidden here, because a null-move cut-off is being verified.
    pub no_null: bool,
    /// A null-move cut-off above has not been verified yet, so those here must be.
    pub verify: bool,
    /// One of the last three moves was extended.
    pub extended_lately: bool,
    /// The node above is a pv-node with this beta.
    pub pv_beta: Option<Score>,
    /// Somewhere above, ProbCut is asking.
    pub probing: bool,
    /// The node is searched without its hash move.
    pub excluding: bool,
}

impl Facts {
    /// The node has at most this depth left, the mover is not in check, and beta is no mate score.
    #[inline]
    fn is_quiet_up_to(&self, depth: Depth) -> bool {
        self.depth <= depth && !self.in_check && !self.beta.is_decided()
    }

    /// The static value plus this gain, if that is still less than beta.
    #[inline]
    fn below_beta(&self, gain: i32) -> Option<Score> {
        Some(self.eval + gain).filter(|reach| *reach < self.beta)
    }
}

/// Everything a method may look at for one move.
#[derive(Copy, Clone, Debug)]
pub struct MoveFacts {
    /// Its number among the moves searched, from 1.
    pub number: usize,
    /// Its number among all moves of the node, those pruned included, from 1.
    pub seen: usize,
    /// Neither a capture nor a promotion to a queen.
    pub quiet: bool,
    /// A capture or queen promotion that loses material in its exchange.
    pub losing: bool,
    /// The mover is in check.
    pub in_check: bool,
    /// The move gives check.
    pub gives_check: bool,
    /// The depth that it costs: a ply, or less if it is extended.
    pub weight: Depth,
    /// It has refuted something nearby before: a killer or the counter-move.
    pub killer: bool,
    /// How good it has been elsewhere, if it is quiet and late enough for that to be asked.
    pub history: Option<i32>,
    /// The node is one of the principal variation.
    pub pv: bool,
    /// The node is expected to reach beta.
    pub cut: bool,
    /// The static value of the node has risen since the mover's last move.
    pub improving: bool,
    /// The reduction by a learned table, in place of the formula.
    pub learned: Option<Depth>,
    /// The node is, or has been, part of a principal variation.
    pub was_pv: bool,
    /// The number of the move that led to the node, from 1; 0 for none.
    pub last_number: usize,
    /// The hash move is quiet and was extended as singular.
    pub singular_quiet: bool,
    /// The hash move is a capture.
    pub hash_capture: bool,
    /// Moves of this node that were refuted so far.
    pub refuted: u8,
    /// A lesser piece attacks the one that moves.
    pub threatened: bool,
    /// The window of the node as a share of the root's, in hundredths.
    pub window: i32,
}

/// What the hash table says of a node whose best move it knows.
#[derive(Copy, Clone, Debug)]
pub struct TtFacts {
    /// The value of the node.
    pub score: Score,
    /// What the value says; `None` if nothing.
    pub bound: Option<Bound>,
    /// How deep it was searched.
    pub depth: Depth,
}

/// A question put to the tree: is the value at least `beta`, searched this deep?
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The depth of the search.
    pub depth: Depth,
    /// The bound that the value is tested against.
    pub beta: Score,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::row::Kind;

    /// An expected cut-node in the middle game where every method may act.
    pub(super) fn facts() -> Facts {
        Facts {
            depth: Depth::plies(5),
            beta: Score::cp(10),
            alpha: Score::cp(9),
            cut: true,
            eval: Score::cp(50),
            static_eval: Score::cp(50),
            improving: false,
            improvement: 0,
            pv: false,
            was_pv: false,
            last_history: 0,
            doubles: 0,
            in_check: false,
            has_pieces: true,
            phase: GamePhase::Middle,
            after_null: false,
            no_null: false,
            verify: false,
            extended_lately: false,
            pv_beta: None,
            probing: false,
            excluding: false,
        }
    }

    /// A node so many plies before the horizon whose static value lies so far below beta.
    pub(super) fn behind(plies: i32, centipawns: i32) -> Facts {
        let eval = facts().beta - centipawns;
        Facts { depth: Depth::plies(plies), eval, static_eval: eval, ..facts() }
    }

    /// A late quiet move of an ordinary node.
    pub(super) fn late_move() -> MoveFacts {
        MoveFacts {
            number: 20,
            seen: 20,
            quiet: true,
            losing: false,
            in_check: false,
            gives_check: false,
            weight: Depth::PLY,
            killer: false,
            history: Some(0),
            pv: false,
            cut: false,
            improving: true,
            learned: None,
            was_pv: false,
            last_number: 1,
            singular_quiet: false,
            hash_capture: false,
            refuted: 0,
            threatened: false,
            window: 0,
        }
    }

    #[test]
    fn methods_stand_in_the_order_of_their_names() {
        for (index, method) in METHODS.iter().enumerate() {
            assert_eq!(method.id as usize, index);
            assert!(!method.about.paper.is_empty() && !method.about.label.is_empty());
            assert!(matches!(method.rows[0].kind, Kind::Check(_)), "{} is no switch", method.switch());
        }
    }
}
