//! Workers that fail, each in its own way.
//!
//! The child is this test program itself, started again for its one test
//! [`child`], which then serves or misbehaves as its environment says.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use lightfast_model::Orientation;
use rustix::process::{Signal, getpid, kill_process};

use crate::protocol::{self, HELLO, Hello, REQUEST, Request};
use crate::{Fault, Job, JobError, Limits, Picture, Pool, PoolJob, Refusal, Task, Worker, WorkerOptions};

/// What the child does when its job comes; before the mark is there, where one is named.
const FAULT: &str = "LIGHTFAST_TEST_FAULT";
/// A file to which a child adds a byte at each fault.
const MARK: &str = "LIGHTFAST_TEST_MARK";
/// So many faults, then good service.
const TIMES: &str = "LIGHTFAST_TEST_TIMES";

#[test]
fn child() {
    let Ok(fault) = std::env::var(FAULT) else { return };
    let mark = std::env::var(MARK).unwrap();
    let times: u64 = std::env::var(TIMES).unwrap().parse().unwrap();
    if std::fs::metadata(&mark).map_or(0, |file| file.len()) >= times {
        crate::serve_stdin().unwrap();
        std::process::exit(0);
    }
    File::options().create(true).append(true).open(&mark).unwrap().write_all(b"x").unwrap();
    let socket = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    let (hello, _) = protocol::receive::<HELLO>(socket.as_fd()).unwrap().unwrap();
    if fault == "bad hello" {
        protocol::send(socket.as_fd(), b"I am no worker of yours", None).unwrap();
        std::process::exit(0);
    }
    crate::confine::confine(Hello::decode(&hello).unwrap());
    protocol::send(socket.as_fd(), &hello, None).unwrap();
    let (request, file) = protocol::receive::<REQUEST>(socket.as_fd()).unwrap().unwrap();
    let limits = Request::decode(&request).unwrap().limits;
    crate::confine::limit_job(limits.memory, limits.cpu);
    match fault.as_str() {
        "abort" => std::process::abort(),
        "panic" => panic!("this picture is more than I can bear"),
        "exit" => std::process::exit(7),
        "memory" => drop(std::hint::black_box(vec![1u8; 1 << 40])),
        "hang" => std::thread::sleep(Duration::from_secs(3600)),
        "spin" => loop {
            std::hint::spin_loop();
        },
        "killed" => {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        "garbage" => protocol::send(socket.as_fd(), &[0x55; 100], None).unwrap(),
        "endless" => {
            let reply = protocol::Reply::Picture { width: 1, height: 1, length: u32::MAX };
            protocol::send(socket.as_fd(), &reply.encode(), None).unwrap();
        }
        "half" => {
            let reply = protocol::Reply::Picture { width: 1, height: 1, length: 1000 };
            protocol::send(socket.as_fd(), &reply.encode(), None).unwrap();
            protocol::send(socket.as_fd(), &[0xff, 0xd8], None).unwrap();
            std::process::exit(0);
        }
        "confined" => {
            let words = confinement(&File::from(file.unwrap()));
            let reply = protocol::Reply::Refused { kind: Refusal::Read, length: words.len() as u32 };
            protocol::send(socket.as_fd(), &reply.encode(), None).unwrap();
            protocol::send(socket.as_fd(), words.as_bytes(), None).unwrap();
        }
        other => panic!("an unknown fault: {other}"),
    }
    std::thread::sleep(Duration::from_secs(3600));
}

/// What a confined child can still do, of what it should not.
fn confinement(file: &File) -> String {
    let mut can = Vec::new();
    let mut check = |what: &'static str, able: bool| can.extend(able.then_some(what));
    check("open", File::open("/etc/passwd").is_ok());
    check("create", File::create("/tmp/lightfast-worker-was-here").is_ok());
    check("connect", std::net::TcpStream::connect("127.0.0.1:9").is_err_and(|e| e.raw_os_error() != Some(1)));
    check("run", std::process::Command::new("/bin/true").status().is_ok());
    check("signal", rustix::process::test_kill_process(rustix::process::Pid::INIT).is_ok());
    check("write", (&*file).write_all(b"x").is_ok());
    check("environment", !std::env::vars().all(|(name, _)| name.starts_with("LIGHTFAST_TEST")));
    check("core", rustix::process::getrlimit(rustix::process::Resource::Core).current != Some(0));
    check("privileges", !rustix::thread::no_new_privs().unwrap_or(true));
    format!("can: {}", can.join(", "))
}

struct Faulty {
    folder: tempfile::TempDir,
    worker: Worker,
}

/// A worker that fails so many times before it serves.
fn failing(fault: &str, times: u64, limits: impl FnOnce(&mut Limits)) -> Faulty {
    let folder = tempfile::tempdir().unwrap();
    let options = options(fault, times, folder.path(), limits);
    Faulty { folder, worker: Worker::new(options) }
}

fn options(fault: &str, times: u64, folder: &Path, limits: impl FnOnce(&mut Limits)) -> WorkerOptions {
    let mut options = WorkerOptions::new("/usr/bin/env");
    let program = std::env::current_exe().unwrap();
    options.args = vec![
        format!("{FAULT}={fault}").into(),
        format!("{MARK}={}", folder.join("mark").display()).into(),
        format!("{TIMES}={times}").into(),
        program.into(),
        "--exact".into(),
        "tests::child".into(),
        "--nocapture".into(),
    ];
    limits(&mut options.limits.thumbnail);
    options
}

fn serving() -> Faulty {
    failing("none", 0, |_| {})
}

impl Faulty {
    fn run(&mut self) -> Result<Picture, JobError> {
        let jpeg = jpeg(640, 480);
        self.job(&jpeg, 0, jpeg.len() as u64, Orientation::UPRIGHT)
    }

    fn job(&mut self, bytes: &[u8], offset: u64, length: u64, orientation: Orientation) -> Result<Picture, JobError> {
        let file = file(bytes);
        let task = Task::Thumbnail { orientation, edge: 512 };
        self.worker.run(&Job { file: file.as_fd(), offset, length, task })
    }

    fn faults(&self) -> u64 {
        std::fs::metadata(self.folder.path().join("mark")).map_or(0, |file| file.len())
    }
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Dark at the top left.
fn jpeg(width: usize, height: usize) -> Vec<u8> {
    let grey = |i: usize| if i % width < width / 2 && i / width < height / 2 { 20u8 } else { 230 };
    let pixels: Vec<u8> = (0..width * height).map(grey).collect();
    let format = turbojpeg::PixelFormat::GRAY;
    let image = turbojpeg::Image { pixels: pixels.as_slice(), width, pitch: width, height, format };
    turbojpeg::compress(image, 90, turbojpeg::Subsamp::Gray).unwrap().to_vec()
}

/// One fault is forgiven, two are not; the reason is told.
fn assert_fault(fault: &str, limits: impl Fn(&mut Limits), expected: impl Fn(&Fault) -> bool) {
    let mut once = failing(fault, 1, &limits);
    let picture = once.run().unwrap();
    assert_eq!((picture.width, picture.height, once.faults()), (512, 384, 1));
    let mut always = failing(fault, u64::MAX, &limits);
    match always.run() {
        Err(JobError::GivenUp { fault, times: 2 }) if expected(&fault) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(always.faults(), 2);
}

#[test]
fn decoder_crashes() {
    assert_fault("abort", |_| {}, |fault| matches!(fault, Fault::Crashed { how, .. } if how == "SIGABRT"));
    assert_fault("exit", |_| {}, |fault| matches!(fault, Fault::Crashed { how, .. } if how.contains('7')));
}

#[test]
fn decoder_panics_and_its_last_words_are_told() {
    assert_fault("panic", |_| {}, |fault| fault.to_string().contains("more than I can bear"));
}

#[test]
fn decoder_hangs() {
    let limits = |limits: &mut Limits| limits.wall = Duration::from_millis(1500);
    assert_fault("hang", limits, |fault| *fault == Fault::Hung(Duration::from_millis(1500)));
}

#[test]
fn decoder_uses_too_much_processor_time() {
    let limits = |limits: &mut Limits| limits.cpu = Duration::from_secs(1);
    assert_fault("spin", limits, |fault| *fault == Fault::Cpu(Duration::from_secs(1)));
}

#[test]
fn decoder_asks_for_absurd_memory() {
    let limits = |limits: &mut Limits| limits.memory = 512 << 20;
    assert_fault("memory", limits, |fault| fault.to_string().contains("memory allocation"));
}

#[test]
fn decoder_answers_with_garbage() {
    assert_fault("garbage", |_| {}, |fault| *fault == Fault::Garbage);
    assert_fault("endless", |_| {}, |fault| *fault == Fault::Garbage);
    assert_fault("half", |_| {}, |fault| matches!(fault, Fault::Crashed { .. }));
}

#[test]
fn oom_kill_of_decoder_counts_from_the_fifth_on() {
    let mut four = failing("killed", 4, |_| {});
    assert!(four.run().is_ok());
    assert_eq!(four.faults(), 4);
    let mut always = failing("killed", u64::MAX, |_| {});
    let outcome = always.run();
    assert!(matches!(outcome, Err(JobError::GivenUp { fault: Fault::Killed, times: 5 })), "{outcome:?}");
    assert_eq!(always.faults(), 5);
}

#[test]
fn an_idle_worker_that_was_killed_is_started_again_and_nothing_is_counted() {
    let mut serving = serving();
    assert!(serving.run().is_ok());
    let child = serving.worker.child_id().unwrap();
    kill_process(rustix::process::Pid::from_raw(child as i32).unwrap(), Signal::KILL).unwrap();
    assert!(serving.run().is_ok());
    assert_ne!(serving.worker.child_id(), Some(child));
}

#[test]
fn a_worker_serves_many_files_and_refusals_do_not_end_it() {
    let mut serving = serving();
    assert!(serving.run().is_ok());
    let child = serving.worker.child_id();
    let outcome = serving.job(b"GIF89a", 0, 6, Orientation::UPRIGHT);
    assert!(matches!(outcome, Err(JobError::Refused { kind: Refusal::Damaged, .. })), "{outcome:?}");
    let outcome = serving.job(b"", 0, 1 << 40, Orientation::UPRIGHT);
    assert!(matches!(outcome, Err(JobError::Refused { kind: Refusal::TooLarge, .. })), "{outcome:?}");
    let outcome = serving.job(b"short", 1 << 60, 100, Orientation::UPRIGHT);
    assert!(matches!(outcome, Err(JobError::Refused { kind: Refusal::Damaged, .. })), "{outcome:?}");
    let outcome = serving.job(b"short", u64::MAX, 100, Orientation::UPRIGHT);
    assert!(matches!(outcome, Err(JobError::Refused { kind: Refusal::Read, .. })), "{outcome:?}");
    assert!(serving.run().is_ok());
    assert_eq!(serving.worker.child_id(), child);
}

#[test]
fn more_pixels_than_allowed_are_refused() {
    let mut serving = failing("none", 0, |limits| limits.pixels = 640 * 480 - 1);
    let outcome = serving.run();
    assert!(matches!(outcome, Err(JobError::Refused { kind: Refusal::TooLarge, .. })), "{outcome:?}");
}

#[test]
fn a_picture_inside_a_file_is_found_by_its_place_and_turned_upright() {
    let mut serving = serving();
    let jpeg = jpeg(640, 480);
    let mut bytes = vec![7; 1000];
    bytes.extend(&jpeg);
    bytes.extend([9; 500]);
    // Where the dark corner of the stored picture is to be seen: right and bottom.
    let corners = [(1, false, false), (2, true, false), (3, true, true), (4, false, true)].into_iter().chain([
        (5, false, false),
        (6, true, false),
        (7, true, true),
        (8, false, true),
    ]);
    for (value, right, bottom) in corners {
        let orientation = Orientation::new(value).unwrap();
        let picture = serving.job(&bytes, 1000, jpeg.len() as u64, orientation).unwrap();
        let size = if value < 5 { (512, 384) } else { (384, 512) };
        assert_eq!((picture.width, picture.height), size, "{value}");
        let image = turbojpeg::decompress(&picture.jpeg, turbojpeg::PixelFormat::GRAY).unwrap();
        assert_eq!((image.width as u32, image.height as u32), size, "{value}");
        let at = |x: usize, y: usize| image.pixels[y * image.pitch + x];
        for (x, y) in [(false, false), (true, false), (false, true), (true, true)] {
            let place = |far: bool, side: usize| if far { side * 3 / 4 } else { side / 4 };
            let dark = at(place(x, image.width), place(y, image.height)) < 100;
            assert_eq!(dark, (x, y) == (right, bottom), "{value} at {x} {y}");
        }
    }
}

#[test]
fn a_worker_can_do_nothing_but_decode() {
    let mut confined = failing("confined", u64::MAX, |_| {});
    match confined.run() {
        Err(JobError::Refused { detail, .. }) => assert_eq!(detail, "can:"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_that_is_no_worker_is_not_the_file_s_fault() {
    let mut stranger = failing("bad hello", u64::MAX, |_| {});
    let outcome = stranger.run();
    assert!(matches!(outcome, Err(JobError::Start { .. })), "{outcome:?}");
    for program in ["/bin/true", "/nowhere/lightfast"] {
        let mut worker = Worker::new(WorkerOptions::new(program));
        let file = file(b"x");
        let task = Task::Thumbnail { orientation: Orientation::UPRIGHT, edge: 512 };
        let outcome = worker.run(&Job { file: file.as_fd(), offset: 0, length: 1, task });
        assert!(matches!(outcome, Err(JobError::Start { .. })), "{outcome:?}");
    }
}

/// A build of previews once ended, and said that there was no worker, when one was killed before its hello.
#[test]
fn a_worker_killed_while_it_starts_counts_as_killed_and_not_as_none() {
    let options = WorkerOptions { args: vec!["-c".into(), "kill -9 $$".into()], ..WorkerOptions::new("/bin/sh") };
    let mut worker = Worker::new(options);
    let file = file(b"x");
    let task = Task::Thumbnail { orientation: Orientation::UPRIGHT, edge: 512 };
    let outcome = worker.run(&Job { file: file.as_fd(), offset: 0, length: 1, task });
    assert!(matches!(outcome, Err(JobError::GivenUp { fault: Fault::Killed, .. })), "{outcome:?}");
}

#[test]
fn a_pool_calls_back_once_a_job_and_waits_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::new(&options("abort", 1, folder.path(), |_| {}), 2);
    let jpeg = jpeg(640, 480);
    let file = Arc::new(file(&jpeg));
    let (sender, receiver) = channel();
    for number in 0..12 {
        let length = if number % 4 == 3 { 1 } else { jpeg.len() as u64 };
        let task = Task::Thumbnail { orientation: Orientation::UPRIGHT, edge: 100 + number };
        let sender = sender.clone();
        let job = PoolJob { file: Arc::clone(&file), offset: 0, length, task };
        pool.submit(job, move |outcome| sender.send((number, outcome.map(|picture| picture.width))).unwrap());
    }
    drop((pool, sender));
    let mut outcomes: Vec<_> = receiver.iter().collect();
    outcomes.sort_by_key(|outcome| outcome.0);
    assert_eq!(outcomes.len(), 12);
    for (number, outcome) in outcomes {
        if number % 4 == 3 {
            assert!(matches!(outcome, Err(JobError::Refused { .. })), "{outcome:?}");
        } else {
            assert_eq!(outcome.unwrap(), 100 + number);
        }
    }
}

#[test]
fn a_raw_is_developed_and_a_damaged_one_is_refused_by_the_same_child() {
    use lightfast_testkit::{Shot, samples};
    let mut serving = serving();
    let raw = samples::cr2(&Shot::sized(240, 160).oriented(6));
    let mut develop = |bytes: &[u8], options| {
        let file = file(bytes);
        let task = Task::Develop(options);
        serving.worker.run(&Job { file: file.as_fd(), offset: 0, length: bytes.len() as u64, task })
    };
    let options = crate::DevelopOptions::default();
    let whole = develop(&raw, options).unwrap();
    assert_eq!((whole.width, whole.height), (160, 240));
    let small = develop(&raw, crate::DevelopOptions { size: Some(100), ..options }).unwrap();
    assert_eq!((small.width, small.height), (67, 100));
    let refused = develop(&jpeg(64, 64), options);
    assert!(matches!(refused, Err(JobError::Refused { .. })), "{refused:?}");
    let wrong = develop(&raw, crate::DevelopOptions { exposure_ev: 99.0, ..options });
    assert!(matches!(wrong, Err(JobError::Refused { kind: Refusal::Unsupported, .. })), "{wrong:?}");
    assert_eq!(develop(&raw, options).unwrap(), whole);
    assert_eq!(serving.faults(), 0);
}
