//! A frame of a clip as a JPEG, made by the ffmpeg that is installed, if one is.
//!
//! ffmpeg is a program of its own, so this needs no worker: it is started for one frame, gets the clip as an open file,
//! can reach nothing but that file by name, and has limits of processor time and address space; whoever waits for it
//! does so with a deadline. Without ffmpeg a clip has the picture that its camera put beside it, or none.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use lightfast_develop::jpeg::Header;
use rustix::process::{Pid, Resource, Rlimit};

use crate::child::{readable, shown};
use crate::{Fault, JobError, Limits, Picture, Refusal};

/// What one frame may cost: 8K clips in HEVC need some seconds and about a gigabyte.
pub const POSTER_LIMITS: Limits = Limits {
    pixels: 100_000_000,
    input: u64::MAX,
    output: 16 << 20,
    memory: 6 << 30,
    cpu: Duration::from_secs(30),
    wall: Duration::from_secs(60),
};

/// What frame of a clip is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poster<'a> {
    /// The program.
    pub ffmpeg: &'a Path,
    /// How long the clip is, in seconds, if that is known.
    pub duration: Option<f64>,
    /// Pixels of the long side at most; a smaller picture is not enlarged.
    pub edge: u32,
    /// What it may cost.
    pub limits: Limits,
}

/// Makes the picture. A frame a little into the clip is taken, because many begin black; where there is none, the first.
pub fn poster(clip: &File, wanted: &Poster<'_>) -> Result<Picture, JobError> {
    let into = wanted.duration.filter(|d| d.is_finite()).map_or(0.0, |duration| (duration * 0.1).clamp(0.0, 10.0));
    let jpeg = frame(clip, wanted, into)?;
    let jpeg = if jpeg.is_empty() && into > 0.0 { frame(clip, wanted, 0.0)? } else { jpeg };
    let size = Header::parse(&jpeg).map(|header| (header.width, header.height));
    let (width, height) = size.map_err(|_| refused("no frame of it can be shown".to_owned()))?;
    Ok(Picture { jpeg, width, height })
}

fn refused(detail: String) -> JobError {
    JobError::Refused { kind: Refusal::Damaged, detail }
}

/// One frame; empty where the clip has none there.
fn frame(clip: &File, wanted: &Poster<'_>, into: f64) -> Result<Vec<u8>, JobError> {
    let edge = wanted.edge.clamp(16, 8192);
    // Rotated as the clip says; the long side is the edge, the other follows in even numbers.
    let scale = format!("scale='if(gte(iw,ih),min({edge},iw),-2)':'if(gte(iw,ih),-2,min({edge},ih))'");
    let seek = format!("{into:.3}");
    let mut command = Command::new(wanted.ffmpeg);
    command
        .args(["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-protocol_whitelist", "file"])
        .args(["-ss", &seek, "-i", CLIP])
        .args(["-map", "0:v:0", "-an", "-sn", "-dn", "-frames:v", "1", "-vf", &scale])
        .args(["-threads", "1", "-pix_fmt", "yuvj420p", "-q:v", "3", "-f", "mjpeg", "pipe:1"]);
    output(command, wanted.ffmpeg, clip, wanted.limits)
}

/// Standard input is the clip: opened anew by its number, so that it can be sought in.
const CLIP: &str = "file:/proc/self/fd/0";

/// What ffprobe says of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probed {
    /// Seconds.
    pub duration: Option<f64>,
    /// Frames a second.
    pub frame_rate: Option<f64>,
    /// The codec, by ffmpeg's name of it.
    pub codec: Option<String>,
    /// Pixels across as coded.
    pub width: Option<u32>,
    /// Pixels down as coded.
    pub height: Option<u32>,
}

/// Asks ffprobe for the facts of a clip; `None` where it cannot be asked or makes nothing of it.
pub fn probe(ffprobe: &Path, clip: &File) -> Option<Probed> {
    let entries = "format=duration:stream=codec_name,width,height,avg_frame_rate";
    let mut command = Command::new(ffprobe);
    command.args(["-hide_banner", "-v", "error", "-protocol_whitelist", "file", "-select_streams", "v:0"]).args([
        "-show_entries",
        entries,
        "-of",
        "default=noprint_wrappers=1",
        CLIP,
    ]);
    let limits =
        Limits { output: 64 << 10, cpu: Duration::from_secs(5), wall: Duration::from_secs(10), ..POSTER_LIMITS };
    let said = output(command, ffprobe, clip, limits).ok()?;
    let probed = probed(&String::from_utf8_lossy(&said));
    (probed != Probed::default()).then_some(probed)
}

fn probed(said: &str) -> Probed {
    let value = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let number = |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
    let pixels = |name| value(name).and_then(|text| text.parse().ok()).filter(|&v| v > 0);
    let rate = value("avg_frame_rate").and_then(|text| {
        let (frames, seconds) = text.split_once('/')?;
        Some(number(frames)? / number(seconds)?)
    });
    Probed {
        duration: value("duration").and_then(number),
        frame_rate: rate,
        codec: value("codec_name").filter(|name| !name.is_empty() && *name != "unknown").map(str::to_owned),
        width: pixels("width"),
        height: pixels("height"),
    }
}

/// Runs the program on a clip; what it writes to standard output.
fn output(mut command: Command, program: &Path, clip: &File, limits: Limits) -> Result<Vec<u8>, JobError> {
    let start = |source| JobError::Start { program: program.to_owned(), source };
    let mut child = command
        .env_clear()
        .current_dir("/")
        .process_group(0)
        .stdin(clip.try_clone().map_err(start)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(start)?;
    limit(child.id(), &limits);
    let deadline = Instant::now() + limits.wall;
    let outcome = child.stdout.take().map_or(Ok(Vec::new()), |out| drain(out, deadline, limits));
    // It fails only when the program has ended, and then waiting is enough.
    if outcome.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    outcome
}

/// Sets what the system enforces. In the instant before, it has done next to nothing.
fn limit(id: u32, limits: &Limits) {
    let Some(pid) = Pid::from_raw(id as i32) else { return };
    let set = |resource, value: u64| {
        let _ = rustix::process::prlimit(Some(pid), resource, Rlimit { current: Some(value), maximum: Some(value) });
    };
    set(Resource::As, limits.memory);
    set(Resource::Cpu, limits.cpu.as_secs().max(1));
    set(Resource::Core, 0);
    set(Resource::Fsize, 0);
}

/// All that it writes, up to the limit and the deadline.
fn drain(mut out: ChildStdout, deadline: Instant, limits: Limits) -> Result<Vec<u8>, JobError> {
    let mut jpeg = Vec::new();
    let mut block = vec![0; 64 << 10];
    loop {
        if !readable(&out, deadline) {
            return Err(JobError::GivenUp { fault: Fault::Hung(limits.wall), times: 1 });
        }
        match out.read(&mut block) {
            Ok(0) => return Ok(jpeg),
            Ok(count) => jpeg.extend_from_slice(block.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(refused(shown(error.to_string().as_bytes()))),
        }
        if jpeg.len() as u64 > limits.output {
            return Err(JobError::Refused { kind: Refusal::TooLarge, detail: "more than a picture came".to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program in place of ffmpeg: what it does with a clip is the point of each test.
    fn program(script: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ffmpeg");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        (dir, path)
    }

    fn run(script: &str, limits: Limits) -> Result<Picture, JobError> {
        let (_dir, ffmpeg) = program(script);
        let clip = tempfile::tempfile().unwrap();
        poster(&clip, &Poster { ffmpeg: &ffmpeg, duration: Some(5.0), edge: 512, limits })
    }

    #[test]
    fn a_program_that_hangs_is_stopped_at_its_deadline() {
        let limits = Limits { wall: Duration::from_millis(50), ..POSTER_LIMITS };
        let error = run("exec sleep 600", limits).unwrap_err();
        assert!(matches!(error, JobError::GivenUp { fault: Fault::Hung(_), .. }), "{error}");
    }

    #[test]
    fn a_flood_of_bytes_is_no_picture() {
        let limits = Limits { output: 1000, ..POSTER_LIMITS };
        let error = run("exec cat /dev/zero", limits).unwrap_err();
        assert!(matches!(error, JobError::Refused { kind: Refusal::TooLarge, .. }), "{error}");
    }

    #[test]
    fn what_the_program_says_of_a_clip_is_read_and_nonsense_is_not() {
        let said = "codec_name=mpeg2video\nwidth=1920\nheight=1080\navg_frame_rate=30000/1001\nduration=12.5\n";
        let found = probed(said);
        assert_eq!((found.duration, found.width, found.height), (Some(12.5), Some(1920), Some(1080)));
        assert!(found.frame_rate.is_some_and(|rate| (rate - 29.97).abs() < 0.01));
        assert_eq!(found.codec.as_deref(), Some("mpeg2video"));
        assert_eq!(probed("avg_frame_rate=0/0\nduration=N/A\nwidth=-1\ncodec_name=unknown"), Probed::default());
    }

    #[test]
    fn a_clip_without_frames_has_no_picture_and_one_without_the_program_says_so() {
        assert!(matches!(run("exit 1", POSTER_LIMITS), Err(JobError::Refused { kind: Refusal::Damaged, .. })));
        let clip = tempfile::tempfile().unwrap();
        let wanted =
            Poster { ffmpeg: Path::new("/nonexistent/ffmpeg"), duration: None, edge: 512, limits: POSTER_LIMITS };
        assert!(matches!(poster(&clip, &wanted), Err(JobError::Start { .. })));
    }
}
