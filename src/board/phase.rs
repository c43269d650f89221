//! Phases of the game.

/// Where in the game a position stands, by the pieces left.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GamePhase {
    /// Nearly all pieces are there.
    Opening,
    /// Neither of the others: some pieces were exchanged.
    Middle,
    /// Few pieces are left, so kings take part.
    End,
}

impl GamePhase {
    /// The phases in the order of a game, which is the order of tables kept by phase.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middle, Self::End];

    /// The phase with this much material, counted as 1 for a minor piece, 2 for a rook and 4 for a queen: 24 at the
    /// start.
    #[inline]
    pub fn of(phase_material: i32) -> Self {
        match phase_material {
            22.. => Self::Opening,
            9..=21 => Self::Middle,
            _ => Self::End,
        }
    }

    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }

    /// As files write it, read back.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_read_as_they_are_written() {
        for phase in GamePhase::ALL {
            assert_eq!(GamePhase::from_name(phase.name()), Some(phase));
        }
        assert_eq!([24, 22, 21, 9, 8, 0].map(GamePhase::of).map(|phase| phase as u8), [0, 0, 1, 1, 2, 2]);
    }
}
