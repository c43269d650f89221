//! M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm", ICCA Journal 18(2), 1995,
//! and "Experiments with Multi-ProbCut", 1999; in chess: A. Jiang and M. Buro, "First Experimental Results of
//! ProbCut Applied to Chess", 2003; X. Liang, *The Evolution of Mulan*, 2003, section 4.3.
//!
//! *Claim.* The value v of a deep search is a·v' + b + e for the value v' of a shallow one, with a normal
//! error e of deviation σ. So a shallow search that proves v' ≥ (tσ + β − b)/a predicts v ≥ β, and one that
//! proves v' ≤ (−tσ + α − b)/a predicts v ≤ α. ProbCut checks at one height, with one shallow depth; Multi-ProbCut
//! at every height that was fitted, with several shallow depths, shallowest first, and a threshold t for each pair
//! and phase of the game. Mulan found t = 1.5 best.
//! *Known failure.* Positions where the shallow search is blind; no check runs inside a check, none in check.
//! *What differs.* t is the phase's unless the file of parameters gives a pair its own; the built-in ones do not, as
//! nobody has published t by pair for chess. A fractional depth counts as the whole plies in it.

use arrayvec::ArrayVec;

use super::{Facts, GamePhase, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "ProbCut", "Buro 1995 and 1999, Jiang & Buro 2003, Liang 2003";
    variant "ProbCut at 5 plies" = ["ProbCutHeight=5"];
    variant "Multi-ProbCut" = ["ProbCutMulti=true"];
    pub struct Settings {
        /// Predicts the value of a deep search from a shallow one and cuts where it is far from the window.
        on: "ProbCut" = false;
        /// Checks at every fitted height, and tries every fitted shallow depth, the shallowest first (Multi-ProbCut).
        multi: "ProbCutMulti" = false;
        /// Remaining plies at which ProbCut checks, with the deepest shallow search that was fitted; Multi-ProbCut
        /// does not ask.
        height: "ProbCutHeight" = 8 in 3..=20 step 1;
        /// Threshold t in the opening, in hundredths of the deviation.
        opening: "ProbCutOpening" = 150 in 0..=500 step 10;
        /// Threshold t in the middle game, in hundredths of the deviation.
        middle: "ProbCutMiddle" = 150 in 0..=500 step 10;
        /// Threshold t in the endgame, in hundredths of the deviation.
        end: "ProbCutEnd" = 150 in 0..=500 step 10;
        /// File with fitted parameters; empty for the built-in ones.
        file: "ProbCutFile" = "" then ReadFits;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(2) } else { Depth::NEVER };
    /// The only height, unless there are several.
    height: Option<i32> = if asked.multi { None } else { Some(asked.height) };
    /// t by phase of the game.
    thresholds: [f32; 3] = [asked.opening, asked.middle, asked.end].map(|t| t as f32 / 100.0);
}

/// One fitted regression.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Fit {
    /// Where in the game.
    pub phase: GamePhase,
    /// Plies of the shallow search.
    pub shallow: i32,
    /// Plies of the deep search.
    pub deep: i32,
    /// Slope.
    pub a: f32,
    /// Offset in centipawns.
    pub b: f32,
    /// Deviation in centipawns.
    pub sigma: f32,
    /// A threshold of its own, in deviations.
    pub t: Option<f32>,
}

impl std::fmt::Display for Fit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { phase, shallow, deep, a, b, sigma, t } = self;
        write!(f, "{} {shallow} {deep} {a:.4} {b:.2} {sigma:.2}", phase.name())?;
        t.map_or(Ok(()), |t| write!(f, " {t:.2}"))
    }
}

/// All fitted regressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Fits(Vec<Fit>);

/// The first line of a file of parameters; what follows a `#` in any other is a comment.
pub const HEADER: &str = "espalier-probcut 1";

impl Default for Fits {
    fn default() -> Self {
        Self::from_text(include_str!("prob_cut.txt")).expect("the built-in parameters are well-formed")
    }
}

impl Fits {
    /// Sorts the regressions, the shallowest first, which is the order that Multi-ProbCut tries them in.
    pub fn new(mut fits: Vec<Fit>) -> Self {
        fits.sort_by_key(|fit| (fit.phase as usize, fit.deep, fit.shallow));
        Self(fits)
    }

    /// Every regression, shallowest first.
    pub fn iter(&self) -> impl Iterator<Item = &Fit> + Clone {
        self.0.iter()
    }

    /// Reads `phase shallow deep a b sigma`, and a threshold t if it has its own, in lines under a header; says which
    /// line is wrong.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        if lines.next().map(|(_, line)| line.trim()) != Some(HEADER) {
            return Err(format!("not a file of ProbCut parameters: it should begin with {HEADER:?}"));
        }
        let mut fits = Vec::new();
        for (index, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
            let fit = read_fit(line).ok_or_else(|| {
                format!(
                    "line {}: {line:?} is not \"phase shallow deep a b sigma\" or that and a t",
                    index + 1
                )
            })?;
            fits.push(fit);
        }
        if fits.is_empty() { Err("no parameters in the file".to_owned()) } else { Ok(Self::new(fits)) }
    }
}

fn read_fit(line: &str) -> Option<Fit> {
    let facts = line.split('#').next().unwrap_or_default();
    let fields: Vec<&str> = facts.split_whitespace().collect();
    let ([phase, shallow, deep, a, b, sigma], t) = match fields.as_slice() {
        [fit @ .., t] if fit.len() == 6 => (fit.first_chunk()?, Some(t.parse().ok()?)),
        fit if fit.len() == 6 => (fit.first_chunk()?, None),
        _ => return None,
    };
    let fit = Fit {
        phase: GamePhase::from_name(phase)?,
        shallow: shallow.parse().ok()?,
        deep: deep.parse().ok()?,
        a: a.parse().ok()?,
        b: b.parse().ok()?,
        sigma: sigma.parse().ok()?,
        t,
    };
    let sensible = (1..fit.deep).contains(&fit.shallow)
        && fit.deep < 100
        && fit.a > 0.05
        && fit.a < 20.0
        && fit.b.abs() < 1000.0
        && (0.0..10_000.0).contains(&fit.sigma)
        && fit.t.is_none_or(|t| (0.0..=5.0).contains(&t));
    sensible.then_some(fit)
}

/// A shallow search that may decide.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbCutCheck {
    /// How deep.
    pub depth: Depth,
    /// From here on the deep value will probably be at least beta.
    pub high: Score,
    /// Up to here it will probably be at most alpha.
    pub low: Score,
}

/// At most this many checks at a node.
pub const MOST: usize = 8;

impl Rule {
    /// There may be shallow searches to make here.
    #[inline]
    pub fn applies(&self, facts: &Facts) -> bool {
        facts.depth >= self.min_depth
            && !facts.in_check
            && !facts.probing
            && !facts.excluding
            && !facts.beta.is_decided()
    }

    /// The shallow searches to make here.
    #[inline]
    pub fn plan(&self, facts: &Facts, fits: &Fits) -> ArrayVec<ProbCutCheck, MOST> {
        let mut checks = ArrayVec::new();
        if self.applies(facts) {
            let height = facts.depth.whole();
            let t = self.thresholds[facts.phase as usize];
            let asked = self.height.is_none_or(|only| only == height);
            let here = fits.iter().filter(|fit| asked && fit.phase == facts.phase && fit.deep == height);
            let wanted = if self.height.is_some() { 1 } else { MOST };
            // One check means the best predictor, the deepest; several go from the shallowest on.
            let count = here.clone().count();
            for fit in here.skip(count.saturating_sub(wanted)) {
                checks.push(fit.check(fit.t.unwrap_or(t), facts.beta));
            }
        }
        checks
    }
}

impl Fit {
    fn check(&self, t: f32, beta: Score) -> ProbCutCheck {
        let alpha = beta - 1;
        let bound = |value: f32| Score::cp((value / self.a).round().clamp(-29_000.0, 29_000.0) as i32);
        ProbCutCheck {
            depth: Depth::plies(self.shallow),
            high: bound(t * self.sigma + beta.raw() as f32 - self.b),
            low: bound(-t * self.sigma + alpha.raw() as f32 - self.b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, height: 5, opening: 150, middle: 150, end: 150, ..Settings::default() }
    }

    fn fit(shallow: i32) -> Fit {
        Fit { phase: GamePhase::Middle, shallow, deep: 5, a: 0.9, b: 10.0, sigma: 60.0, t: None }
    }

    fn fits() -> Fits {
        Fits::new(vec![fit(3), fit(1)])
    }

    #[test]
    fn prob_cut_checks_at_one_height_and_multi_prob_cut_at_all() {
        let elsewhere = Settings { height: 8, ..settings() };
        assert!(elsewhere.resolve().plan(&facts(), &fits()).is_empty());
        assert_eq!(Settings { multi: true, ..elsewhere }.resolve().plan(&facts(), &fits()).len(), 2);
    }

    #[test]
    fn a_pair_may_have_a_threshold_of_its_own() {
        let own = Fits::new(vec![Fit { t: Some(1.0), ..fit(1) }, fit(3)]);
        let checks = Settings { multi: true, ..settings() }.resolve().plan(&facts(), &own);
        // β = 10: (1.0 · 60 + 10 − 10) / 0.9 = 66.7, and for the other as with the threshold of the phase.
        assert_eq!([checks[0].high, checks[1].high], [Score::cp(67), Score::cp(100)]);
        let lines: String = own.iter().map(|fit| format!("{fit}\n")).collect();
        assert_eq!(Fits::from_text(&format!("{HEADER}\n{lines}")), Ok(own));
    }

    #[test]
    fn the_bounds_are_those_of_the_formula() {
        let checks = settings().resolve().plan(&facts(), &fits());
        // β = 10: (1.5 · 60 + 10 − 10) / 0.9 = 100 and (−1.5 · 60 + 9 − 10) / 0.9 = −101.1
        assert_eq!(
            checks[..],
            [ProbCutCheck { depth: Depth::plies(3), high: Score::cp(100), low: Score::cp(-101) }]
        );
    }

    #[test]
    fn multi_prob_cut_begins_with_the_shallowest() {
        let checks = Settings { multi: true, ..settings() }.resolve().plan(&facts(), &fits());
        let depths: Vec<Depth> = checks.iter().map(|check| check.depth).collect();
        assert_eq!(depths, [Depth::plies(1), Depth::plies(3)]);
    }

    #[test]
    fn no_check_inside_a_check_nor_where_nothing_was_fitted() {
        let rule = settings().resolve();
        for elsewhere in [
            Facts { probing: true, ..facts() },
            Facts { in_check: true, ..facts() },
            Facts { excluding: true, ..facts() },
            Facts { depth: Depth::plies(6), ..facts() },
            Facts { phase: GamePhase::End, ..facts() },
        ] {
            assert!(rule.plan(&elsewhere, &fits()).is_empty(), "{elsewhere:?}");
        }
        assert!(Settings { on: false, ..settings() }.resolve().plan(&facts(), &fits()).is_empty());
    }

    #[test]
    fn parameters_survive_their_file_and_bad_ones_are_named() {
        let lines: String = fits().0.iter().map(|fit| format!("{fit}\n")).collect();
        assert_eq!(Fits::from_text(&format!("{HEADER}\n# a comment\n{lines}")), Ok(fits()));
        let remark = format!("{HEADER}\n# made by hand\nmiddle 3 5 0.9 10 60 # 20 positions\n");
        assert_eq!(Fits::from_text(&remark).map(|fits| fits.iter().count()), Ok(1));
        assert!(Fits::from_text("something else").unwrap_err().contains("begin with"));
        let bad = format!("{HEADER}\nmiddle 3 5 1.0 0 60\nmiddle 5 3 1.0 0 60\n");
        assert!(Fits::from_text(&bad).unwrap_err().contains("line 3"));
        assert!(Fits::from_text(HEADER).unwrap_err().contains("no parameters"));
        assert!(Fits::default().iter().count() > 0);
    }
}
