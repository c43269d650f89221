//! Pseudorandom numbers, the same on every machine, so that games, matches and learning can be repeated.

/// 2^64 divided by the golden ratio, rounded to an odd number. Multiplication by it spreads neighbouring numbers, most
/// of all in the high bits.
pub const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of a seed and a number.
    pub fn split(seed: u64, number: u64) -> Self {
        let mut random = Self(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        Self(random.number())
    }

    /// A uniformly distributed number.
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_RATIO);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.number() as u128 * bound as u128) >> 64) as usize
    }

    /// One of the items; there must be one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Shuffles a list (Fisher & Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_and_another_seed_another() {
        let first = |seed| Random::new(seed).number();
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
        assert_ne!(Random::split(1, 0).number(), Random::split(1, 1).number());
    }

    #[test]
    fn the_sequence_is_that_of_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        let first = [(); 3].map(|()| random.number());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_shuffled_list_has_the_same_members_in_another_order() {
        let mut list: Vec<usize> = (0..100).collect();
        Random::new(7).shuffle(&mut list);
        assert_ne!(list, (0..100).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..100).collect::<Vec<_>>());
    }
}
