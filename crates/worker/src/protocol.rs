//! The messages between a caller and its worker.
//!
//! A Unix socket pair, one job at a time. First each side sends [`Hello`] with
//! the version, so that a program that was replaced on disk meanwhile is
//! noticed. Then a [`Request`] with the file's descriptor, and a [`Reply`]
//! with the picture's bytes or the reason behind it. All numbers are
//! little-endian; every message has a fixed length except a reply's body,
//! whose length the caller bounds. Nothing here trusts the other side.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use lightfast_develop::raw::{DevelopOptions, Quality, Tone, WhiteBalance};
use lightfast_model::Orientation;
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};

use crate::{Limits, Refusal, Task};

/// Begins every message.
const MAGIC: [u8; 4] = *b"LFwk";
/// Of the messages' shape: goes up with any change.
const VERSION: u16 = 2;

/// Bytes of a hello.
pub(crate) const HELLO: usize = 16;
/// Bytes of a request.
pub(crate) const REQUEST: usize = 96;
/// Bytes of a reply without its body.
pub(crate) const REPLY: usize = 24;

/// The first message each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hello {
    /// Added to the child's niceness.
    pub(crate) nice: i32,
    /// Whether the child runs only when nobody else wants to.
    pub(crate) idle: bool,
}

/// One job, without its file's descriptor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) task: Task,
    pub(crate) limits: Limits,
}

/// How a reply begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A JPEG follows.
    Picture { width: u32, height: u32, length: u32 },
    /// Words follow.
    Refused { kind: Refusal, length: u32 },
}

/// Puts numbers behind each other.
struct Writer<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

impl<const N: usize> Writer<N> {
    fn new() -> Self {
        let mut writer = Self { bytes: [0; N], at: 0 };
        writer.put(MAGIC);
        writer
    }

    fn put<const M: usize>(&mut self, bytes: [u8; M]) {
        if let Some(place) = self.bytes.get_mut(self.at..self.at + M) {
            place.copy_from_slice(&bytes);
        }
        self.at += M;
    }
}

/// Takes numbers from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn magic(&mut self) -> Option<()> {
        (self.take()? == MAGIC).then_some(())
    }

    fn take<const M: usize>(&mut self) -> Option<[u8; M]> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*front)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn f32(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }
}

impl Hello {
    pub(crate) fn encode(self) -> [u8; HELLO] {
        let mut writer = Writer::new();
        writer.put(VERSION.to_le_bytes());
        writer.put([u8::from(self.idle), 0]);
        writer.put(self.nice.to_le_bytes());
        writer.bytes
    }

    /// `None` for another version, or another program.
    pub(crate) fn decode(bytes: &[u8; HELLO]) -> Option<Self> {
        let mut reader = Reader(bytes);
        reader.magic()?;
        if reader.u16()? != VERSION {
            return None;
        }
        let [idle, _] = reader.take()?;
        Some(Self { idle: idle != 0, nice: reader.take().map(i32::from_le_bytes)? })
    }
}

impl Request {
    pub(crate) fn encode(self) -> [u8; REQUEST] {
        // Zero says that the picture keeps its size.
        let (kind, orientation, edge) = match &self.task {
            Task::Thumbnail { orientation, edge } => (1, *orientation, *edge),
            Task::Fit { orientation, edge } => (2, *orientation, *edge),
            Task::Develop(options) => (3, Orientation::UPRIGHT, options.size.unwrap_or(0)),
        };
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut writer = Writer::new();
        writer.put([kind, orientation.value(), 0, 0]);
        writer.put(edge.to_le_bytes());
        for number in [self.offset, self.length, self.limits.pixels, self.limits.input, self.limits.output] {
            writer.put(number.to_le_bytes());
        }
        for number in [self.limits.memory, milliseconds(self.limits.cpu), milliseconds(self.limits.wall)] {
            writer.put(number.to_le_bytes());
        }
        if let Task::Develop(options) = &self.task {
            put_options(&mut writer, options);
        }
        writer.bytes
    }

    pub(crate) fn decode(bytes: &[u8; REQUEST]) -> Option<Self> {
        let mut reader = Reader(bytes);
        reader.magic()?;
        let (kind, orientation) = (reader.u8()?, Orientation::new(u16::from(reader.u8()?))?);
        reader.u16()?;
        let edge = reader.u32()?;
        let (offset, length) = (reader.u64()?, reader.u64()?);
        let limits = Limits {
            pixels: reader.u64()?,
            input: reader.u64()?,
            output: reader.u64()?,
            memory: reader.u64()?,
            cpu: Duration::from_millis(reader.u64()?),
            wall: Duration::from_millis(reader.u64()?),
        };
        let task = match kind {
            1 => Task::Thumbnail { orientation, edge },
            2 => Task::Fit { orientation, edge },
            3 => Task::Develop(take_options(&mut reader, (edge > 0).then_some(edge))?),
            _ => return None,
        };
        Some(Self { offset, length, task, limits })
    }
}

/// What a rendering is to be like, but for its size, in twenty bytes.
fn put_options(writer: &mut Writer<REQUEST>, options: &DevelopOptions) {
    let (balance, values) = match options.white_balance {
        WhiteBalance::AsShot => (0, [0.0; 3]),
        WhiteBalance::Daylight => (1, [0.0; 3]),
        WhiteBalance::Temperature(kelvin) => (2, [kelvin, 0.0, 0.0]),
        WhiteBalance::Multipliers(of) => (3, of),
    };
    let tone = match options.tone {
        Tone::Camera => 0,
        Tone::Maker => 1,
        Tone::Linear => 2,
    };
    // Quality and sharpening are a bit each.
    let bits = u8::from(options.quality == Quality::Best) | u8::from(options.sharpen) << 1;
    writer.put([bits, tone, balance, options.jpeg_quality]);
    for value in [options.exposure_ev, values[0], values[1], values[2]] {
        writer.put(value.to_le_bytes());
    }
}

/// The reverse of [`put_options`]. What the values may be is the renderer's business.
fn take_options(reader: &mut Reader<'_>, size: Option<u32>) -> Option<DevelopOptions> {
    let [bits, tone, balance, jpeg_quality] = reader.take()?;
    let exposure_ev = reader.f32()?;
    let values = [reader.f32()?, reader.f32()?, reader.f32()?];
    let white_balance = match balance {
        0 => WhiteBalance::AsShot,
        1 => WhiteBalance::Daylight,
        2 => WhiteBalance::Temperature(values[0]),
        3 => WhiteBalance::Multipliers(values),
        _ => return None,
    };
    let tone = match tone {
        0 => Tone::Camera,
        1 => Tone::Maker,
        2 => Tone::Linear,
        _ => return None,
    };
    let quality = if bits & 1 == 1 { Quality::Best } else { Quality::Fast };
    let sharpen = bits & 2 == 2;
    Some(DevelopOptions {
        quality,
        size,
        exposure_ev,
        white_balance,
        sharpen,
        tone,
        jpeg_quality,
        ..Default::default()
    })
}

impl Reply {
    pub(crate) fn encode(self) -> [u8; REPLY] {
        let (status, width, height, length) = match self {
            Self::Picture { width, height, length } => (0, width, height, length),
            Self::Refused { kind, length } => (1 + kind as u32, 0, 0, length),
        };
        let mut writer = Writer::new();
        for number in [status, width, height, length] {
            writer.put(number.to_le_bytes());
        }
        writer.bytes
    }

    pub(crate) fn decode(bytes: &[u8; REPLY]) -> Option<Self> {
        let mut reader = Reader(bytes);
        reader.magic()?;
        let (status, width, height, length) = (reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?);
        let kind = match status {
            0 => return Some(Self::Picture { width, height, length }),
            1 => Refusal::Read,
            2 => Refusal::Damaged,
            3 => Refusal::Unsupported,
            4 => Refusal::TooLarge,
            _ => return None,
        };
        Some(Self::Refused { kind, length })
    }

    /// Bytes that follow.
    pub(crate) fn body(self) -> u64 {
        match self {
            Self::Picture { length, .. } | Self::Refused { length, .. } => u64::from(length),
        }
    }
}

/// Sends all of `bytes`, the descriptor with the first of them.
pub(crate) fn send(socket: BorrowedFd<'_>, bytes: &[u8], file: Option<BorrowedFd<'_>>) -> rustix::io::Result<()> {
    let files = file.map(|file| [file]);
    let mut rest = bytes;
    let mut first = true;
    while !rest.is_empty() {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if let Some(files) = files.as_ref().filter(|_| first) {
            control.push(SendAncillaryMessage::ScmRights(files));
        }
        let sent = rustix::net::sendmsg(socket, &[std::io::IoSlice::new(rest)], &mut control, SendFlags::NOSIGNAL);
        match sent {
            Ok(count) => {
                rest = rest.get(count..).unwrap_or_default();
                first = false;
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Receives a whole message and the descriptor that comes with it. `None` where the other side has closed, also in the
/// middle of one.
pub(crate) fn receive<const N: usize>(
    socket: BorrowedFd<'_>,
) -> rustix::io::Result<Option<([u8; N], Option<OwnedFd>)>> {
    let mut bytes = [0; N];
    let mut file = None;
    let mut filled = 0;
    while filled < N {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let room = bytes.get_mut(filled..).unwrap_or_default();
        let mut slices = [std::io::IoSliceMut::new(room)];
        match rustix::net::recvmsg(socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(message) if message.bytes == 0 => return Ok(None),
            Ok(message) => filled += message.bytes,
            Err(Errno::INTR) => continue,
            Err(Errno::CONNRESET) => return Ok(None),
            Err(error) => return Err(error),
        }
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                file = files.last().or(file);
            }
        }
    }
    Ok(Some((bytes, file)))
}

/// A connected pair of sockets that no other process inherits.
pub(crate) fn pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

/// Whether a descriptor is a socket at all.
pub(crate) fn is_socket(socket: &impl AsFd) -> bool {
    rustix::fs::fstat(socket).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_socket())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskLimits;

    #[test]
    fn messages_survive_the_way_there_and_back() {
        let hello = Hello { nice: -3, idle: true };
        assert_eq!(Hello::decode(&hello.encode()), Some(hello));
        for task in [
            Task::Thumbnail { orientation: Orientation::new(6).unwrap(), edge: 512 },
            Task::Fit { orientation: Orientation::UPRIGHT, edge: 2560 },
            Task::Develop(DevelopOptions::default()),
            Task::Develop(DevelopOptions {
                quality: Quality::Best,
                size: Some(2560),
                exposure_ev: -0.5,
                white_balance: WhiteBalance::Multipliers([2.0, 1.0, 1.5]),
                sharpen: false,
                tone: Tone::Linear,
                jpeg_quality: 80,
                ..Default::default()
            }),
        ] {
            let request = Request { offset: 1 << 40, length: 7, task, limits: TaskLimits::default().of(&task) };
            assert_eq!(Request::decode(&request.encode()), Some(request));
        }
        let mut replies = vec![Reply::Picture { width: 512, height: 341, length: 9 }];
        for kind in [Refusal::Read, Refusal::Damaged, Refusal::Unsupported, Refusal::TooLarge] {
            replies.push(Reply::Refused { kind, length: 3 });
        }
        for reply in replies {
            assert_eq!(Reply::decode(&reply.encode()), Some(reply));
        }
    }

    #[test]
    fn what_is_no_message_is_not_taken_for_one() {
        assert_eq!(Hello::decode(&[0; HELLO]), None);
        assert_eq!(Request::decode(&[0xff; REQUEST]), None);
        assert_eq!(Reply::decode(&[b'L'; REPLY]), None);
        let mut other = Hello::default().encode();
        other[4] = other[4].wrapping_add(1);
        assert_eq!(Hello::decode(&other), None, "another version");
        let mut strange = Reply::Picture { width: 1, height: 1, length: 1 }.encode();
        strange[4] = 99;
        assert_eq!(Reply::decode(&strange), None);
    }

    #[test]
    fn a_descriptor_travels_with_its_message() {
        let (ours, theirs) = pair().unwrap();
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, b"inside").unwrap();
        send(ours.as_fd(), &[5; REQUEST], Some(file.as_fd())).unwrap();
        let (bytes, received) = receive::<REQUEST>(theirs.as_fd()).unwrap().unwrap();
        assert_eq!(bytes, [5; REQUEST]);
        let mut content = [0; 6];
        std::os::unix::fs::FileExt::read_exact_at(&std::fs::File::from(received.unwrap()), &mut content, 0).unwrap();
        assert_eq!(&content, b"inside");
        drop(ours);
        assert!(receive::<REQUEST>(theirs.as_fd()).unwrap().is_none());
    }
}
