//! Files of networks: magic, version, architecture, weights, checksum.

use super::features::INPUTS;
use super::{FIRST_UNIT, Lane, Network, OUTPUT_UNIT, WEIGHT_LIMIT};

const MAGIC: &[u8; 8] = b"espalnet";
/// The version of the file format.
pub const VERSION: u32 = 2;
/// Magic, then version, inputs, width, buckets and scale.
const HEADER: usize = MAGIC.len() + 5 * 4;
const MOST_WIDTH: usize = 2_048;
const MOST_BUCKETS: usize = 32;

/// Why a file is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// It begins otherwise.
    #[error("not a network of Espalier")]
    NotANetwork,
    /// Made for another version of the program.
    #[error("a network of version {0}; this program reads {VERSION}")]
    Version(u32),
    /// The architecture is another one; what is wrong.
    #[error("a network of another architecture: {0}")]
    Architecture(String),
    /// It has fewer or more bytes than its header says.
    #[error("{found} bytes, but such a network has {expected}: cut off or damaged")]
    Length {
        /// Bytes that belong to such a network.
        expected: usize,
        /// Bytes of the file.
        found: usize,
    },
    /// The checksum does not fit.
    #[error("the checksum does not fit: the file is damaged")]
    Checksum,
    /// A weight so large that sums of them may leave their range.
    #[error("a weight of {0}, larger than weights may be")]
    Weight(i16),
}

impl Network {
    /// The contents of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, INPUTS as u32, self.width() as u32, self.buckets as u32, self.scale as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for weights in [&self.rows, &self.biases, &self.outputs] {
            bytes.extend(weights.iter().flat_map(|lane| lane.0).flat_map(i16::to_le_bytes));
        }
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Reads the contents of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let header = bytes.get(..HEADER).filter(|header| header.starts_with(MAGIC));
        let numbers = header.ok_or(NetworkError::NotANetwork)?[MAGIC.len()..].as_chunks::<4>().0;
        let number = |index: usize| u32::from_le_bytes(numbers[index]);
        if number(0) != VERSION {
            return Err(NetworkError::Version(number(0)));
        }
        let [inputs, width, buckets] = [1, 2, 3].map(|index| number(index) as usize);
        let scale = number(4) as i32;
        let other = |what: String| Err(NetworkError::Architecture(what));
        if inputs != INPUTS {
            return other(format!("{inputs} inputs, not {INPUTS}"));
        }
        if width == 0 || width > MOST_WIDTH || !width.is_multiple_of(Lane::LEN) {
            return other(format!("{width} neurons, not a multiple of {} up to {MOST_WIDTH}", Lane::LEN));
        }
        if buckets == 0 || buckets > MOST_BUCKETS {
            return other(format!("{buckets} outputs, not 1 to {MOST_BUCKETS}"));
        }
        if !(1..=10_000).contains(&scale) {
            return other(format!("a scale of {scale}"));
        }
        let expected = HEADER + 2 * width * (INPUTS + 1 + 2 * buckets) + 4 * buckets + 4;
        if bytes.len() != expected {
            return Err(NetworkError::Length { expected, found: bytes.len() });
        }
        let (body, checksum) = bytes.split_at(expected - 4);
        if crc32fast::hash(body).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        let (weights, output_biases) = body[HEADER..].split_at(2 * width * (INPUTS + 1 + 2 * buckets));
        let weights: Vec<i16> =
            weights.as_chunks::<2>().0.iter().map(|two| i16::from_le_bytes(*two)).collect();
        let (rows, rest) = weights.split_at(width * INPUTS);
        let (biases, outputs) = rest.split_at(width);
        for (weights, unit) in [(rows, FIRST_UNIT), (biases, FIRST_UNIT), (outputs, OUTPUT_UNIT)] {
            check_weights(weights, unit)?;
        }
        Ok(Self {
            buckets,
            scale,
            rows: Lane::of(rows),
            biases: Lane::of(biases),
            outputs: Lane::of(outputs),
            output_biases: output_biases
                .as_chunks::<4>()
                .0
                .iter()
                .map(|four| i32::from_le_bytes(*four))
                .collect(),
        })
    }
}

/// No weight is larger than a trainer makes them, in these units.
fn check_weights(weights: &[i16], unit: i32) -> Result<(), NetworkError> {
    let most = (WEIGHT_LIMIT * unit as f32).round() as u16;
    match weights.iter().find(|weight| weight.unsigned_abs() > most) {
        Some(weight) => Err(NetworkError::Weight(*weight)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    #[test]
    fn a_network_survives_its_file() {
        let network = random(64, 2);
        assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_named() {
        let good = random(32, 1).to_bytes();
        let read = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            Network::from_bytes(&bytes).unwrap_err()
        };
        assert_eq!(read(&|bytes| bytes.clear()), NetworkError::NotANetwork);
        assert_eq!(read(&|bytes| bytes[0] = b'x'), NetworkError::NotANetwork);
        assert_eq!(read(&|bytes| bytes[8] = 9), NetworkError::Version(9));
        assert!(matches!(read(&|bytes| bytes[12] = 9), NetworkError::Architecture(_)));
        assert!(matches!(read(&|bytes| bytes[16] = 33), NetworkError::Architecture(_)));
        assert!(matches!(read(&|bytes| bytes[20] = 0), NetworkError::Architecture(_)));
        assert!(matches!(read(&|bytes| bytes.truncate(99)), NetworkError::Length { found: 99, .. }));
        assert!(matches!(read(&|bytes| bytes.push(0)), NetworkError::Length { .. }));
        assert_eq!(read(&|bytes| bytes[500] ^= 1), NetworkError::Checksum);
    }

    // With a good checksum: nobody damaged this file, somebody made it so.
    #[test]
    fn weights_that_sums_cannot_hold_are_refused_wherever_they_are() {
        let good = random(32, 1).to_bytes();
        let end = good.len() - 4 - 4;
        let outputs = end - 2 * 2 * 32;
        for (place, largest) in [(HEADER, 973), (outputs - 2, 973), (outputs, 1_946), (end - 2, 1_946)] {
            for weight in [i16::MIN, -largest - 1, -largest, largest, largest + 1, i16::MAX] {
                let mut bytes = good[..good.len() - 4].to_vec();
                bytes[place..place + 2].copy_from_slice(&weight.to_le_bytes());
                bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
                let refused = Network::from_bytes(&bytes).err();
                let expected =
                    (weight.unsigned_abs() > largest as u16).then_some(NetworkError::Weight(weight));
                assert_eq!(refused, expected, "{weight} at {place}");
            }
        }
    }
}
