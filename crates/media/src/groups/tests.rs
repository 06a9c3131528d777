use super::*;

use jiff::civil::DateTime;
use lightfast_model::TimeSource;

fn file(path: &str) -> GroupInput {
    let path = PathBuf::from(path);
    let kind = crate::kind_of(&[], path.file_name().unwrap()).0;
    GroupInput { path, kind, ..GroupInput::default() }
}

fn taken(path: &str, time: &str) -> GroupInput {
    let local: DateTime = time.parse().unwrap();
    let taken = CaptureTime { local, fraction_digits: 0, utc_offset: None, from: TimeSource::Exif };
    GroupInput { taken: Some(taken), ..file(path) }
}

fn live(path: &str, id: &str) -> GroupInput {
    GroupInput { content_id: Some(id.to_owned()), ..file(path) }
}

/// The groups as names of files.
fn grouped(files: &[GroupInput]) -> Vec<Vec<String>> {
    let name = |m: &Member| files[m.index].path.file_name().unwrap().to_string_lossy().into_owned();
    group(files).iter().map(|g| g.members.iter().map(name).collect()).collect()
}

#[test]
fn raw_jpeg_sound_and_both_namings_of_the_sidecar_are_one_photo() {
    let files = [
        file("DCIM/100/IMG_0001.JPG"),
        file("DCIM/100/IMG_0001.CR2"),
        file("DCIM/100/IMG_0001.xmp"),
        file("DCIM/100/img_0001.CR2.xmp"),
        file("DCIM/100/IMG_0001.WAV"),
        file("DCIM/100/IMG_0002.CR2"),
    ];
    assert_eq!(
        grouped(&files),
        [
            vec!["IMG_0001.CR2", "IMG_0001.JPG", "IMG_0001.WAV", "IMG_0001.xmp", "img_0001.CR2.xmp"],
            vec!["IMG_0002.CR2"]
        ]
    );
}

#[test]
fn the_same_name_in_another_folder_is_another_photo() {
    let files = [file("100/IMG_0001.CR2"), file("101/IMG_0001.CR2"), file("101/IMG_0001.xmp")];
    assert_eq!(grouped(&files), [vec!["IMG_0001.CR2"], vec!["IMG_0001.CR2", "IMG_0001.xmp"]]);
}

#[test]
fn a_name_never_joins_photos_taken_years_apart() {
    let files = [
        taken("IMG_0015.CR2", "2004-05-01T10:00:00"),
        taken("IMG_0015.JPG", "2006-05-01T10:00:00"),
        file("IMG_0015.CR2.xmp"),
        file("IMG_0015.JPG.xmp"),
        file("IMG_0015.xmp"),
    ];
    let expected = [vec!["IMG_0015.CR2", "IMG_0015.CR2.xmp", "IMG_0015.xmp"], vec!["IMG_0015.JPG", "IMG_0015.JPG.xmp"]];
    assert_eq!(grouped(&files), expected);
}

#[test]
fn a_raw_and_its_jpeg_a_second_apart_are_one_photo() {
    let files = [taken("P1.RW2", "2020-01-01T10:00:00"), taken("P1.JPG", "2020-01-01T10:00:01")];
    assert_eq!(group(&files).len(), 1);
}

#[test]
fn two_frames_a_second_apart_stay_two_photos() {
    let files = [taken("IMG_0318.HEIC", "2020-01-01T10:00:00"), taken("IMG_0319.HEIC", "2020-01-01T10:00:01")];
    assert_eq!(group(&files).len(), 2, "burst frames stay apart");
}

#[test]
fn a_live_photo_is_joined_by_its_identifier_and_not_by_its_name() {
    let files = [
        live("100APPLE/IMG_0001.HEIC", "A"),
        live("100APPLE/IMG_0001.MOV", "A"),
        live("101APPLE/IMG_0001.HEIC", "B"),
        live("101APPLE/IMG_0001.MOV", "C"),
        live("102APPLE/IMG_0007.HEIC", "D"),
        live("102APPLE/IMG_0007(1).MOV", "D"),
    ];
    let expected = [
        vec!["IMG_0001.HEIC", "IMG_0001.MOV"],
        vec!["IMG_0001.HEIC"],
        vec!["IMG_0001.MOV"],
        vec!["IMG_0007.HEIC", "IMG_0007(1).MOV"],
    ];
    assert_eq!(grouped(&files), expected);
}

#[test]
fn a_live_photo_without_identifiers_needs_the_same_time() {
    let with = |clip: &str| group(&[taken("IMG_1.JPG", "2020-06-08T23:30:00"), taken("IMG_1.MOV", clip)]).len();
    assert_eq!(with("2020-06-08T23:29:58"), 1);
    assert_eq!(with("2020-06-08T23:31:00"), 2);
    let mut utc = taken("IMG_1.MOV", "2020-06-09T06:29:58");
    utc.taken.as_mut().unwrap().utc_offset = Some(0);
    assert_eq!(group(&[taken("IMG_1.JPG", "2020-06-08T23:30:00"), utc]).len(), 1, "the clip's time is UTC");
}

#[test]
fn adjustments_and_edits_stay_with_their_original() {
    let files = [
        file("IMG_E1234.JPG"),
        file("IMG_1234.HEIC"),
        file("IMG_1234.AAE"),
        file("IMG_O1234.AAE"),
        file("IMG_E9999.JPG"),
    ];
    let expected = [vec!["IMG_1234.HEIC", "IMG_1234.AAE", "IMG_O1234.AAE", "IMG_E1234.JPG"], vec!["IMG_E9999.JPG"]];
    assert_eq!(grouped(&files), expected);
}

#[test]
fn sony_clip_with_metadata_thumbnail_and_proxy() {
    let files = [
        file("PRIVATE/M4ROOT/CLIP/C0001.MP4"),
        file("PRIVATE/M4ROOT/CLIP/C0001M01.XML"),
        file("PRIVATE/M4ROOT/THMBNL/C0001T01.JPG"),
        file("PRIVATE/M4ROOT/SUB/C0001S03.MP4"),
        file("PRIVATE/M4ROOT/MEDIAPRO.XML"),
        file("DCIM/100MSDCF/DSC00001.JPG"),
    ];
    let groups = group(&files);
    let roles: Vec<Role> = groups[0].members.iter().map(|m| m.role).collect();
    assert_eq!(roles, [Role::Video, Role::Sidecar, Role::Sidecar, Role::Thumbnail, Role::Other]);
    assert_eq!(groups[0].tree, Some(Tree { name: "XAVC", root: "PRIVATE".into() }));
    assert_eq!(groups[1].tree, None);
    assert_eq!(groups.len(), 2, "what ties the clips together goes with the first of them");
}

#[test]
fn an_avchd_tree_is_its_clips_and_each_has_its_own_index() {
    let files = [
        file("PRIVATE/AVCHD/BDMV/INDEX.BDM"),
        file("PRIVATE/AVCHD/BDMV/CLIPINF/00000.CPI"),
        file("PRIVATE/AVCHD/BDMV/CLIPINF/00001.CPI"),
        file("PRIVATE/AVCHD/BDMV/PLAYLIST/00000.MPL"),
        file("PRIVATE/AVCHD/BDMV/STREAM/00000.MTS"),
        file("PRIVATE/AVCHD/BDMV/STREAM/00001.MTS"),
    ];
    let expected = [vec!["00000.MTS", "INDEX.BDM", "00000.CPI", "00000.MPL"], vec!["00001.MTS", "00001.CPI"]];
    assert_eq!(grouped(&files), expected);
}

#[test]
fn a_p2_clip_has_its_sound_icon_and_metadata() {
    let files = [
        file("CONTENTS/AUDIO/0001AB00.MXF"),
        file("CONTENTS/CLIP/0001AB.XML"),
        file("CONTENTS/ICON/0001AB.BMP"),
        file("CONTENTS/VIDEO/0001AB.MXF"),
        file("CONTENTS/VIDEO/0002CD.MXF"),
        file("LASTCLIP.TXT"),
    ];
    let groups = group(&files);
    let members: Vec<usize> = groups.iter().map(|g| g.members.len()).collect();
    assert_eq!(members, [4, 1, 1]);
}

#[test]
fn the_parts_of_a_red_recording_are_one_clip_and_others_of_such_names_are_not() {
    let red = [file("A.RDM/A001_C001.RDC/A001_C001_001.R3D"), file("A.RDM/A001_C001.RDC/A001_C001_002.R3D")];
    assert_eq!(group(&red).len(), 1);
    let others = [file("DCIM/100/MOV_001.MP4"), file("DCIM/100/MOV_002.MP4")];
    assert_eq!(group(&others).len(), 2);
}

#[test]
fn gopro_chapters_in_order_with_proxy_and_thumbnail() {
    let files = [
        file("GX020123.MP4"),
        file("GX010123.MP4"),
        file("GL010123.LRV"),
        file("GX010123.THM"),
        file("GX010124.MP4"),
        file("GOPR0123.JPG"),
        file("GOPR0200.MP4"),
        file("GP010200.MP4"),
        file("G0010300.JPG"),
        file("G0010301.JPG"),
    ];
    let expected = [
        vec!["GX010123.MP4", "GX020123.MP4", "GX010123.THM", "GL010123.LRV"],
        vec!["GX010124.MP4"],
        vec!["GOPR0123.JPG"],
        vec!["GOPR0200.MP4", "GP010200.MP4"],
        vec!["G0010300.JPG"],
        vec!["G0010301.JPG"],
    ];
    assert_eq!(grouped(&files), expected);
}

#[test]
fn dji_clip_with_telemetry_and_proxy() {
    let files = [file("DJI_0001.MP4"), file("DJI_0001.SRT"), file("DJI_0001.LRF"), file("DJI_0002.MP4")];
    assert_eq!(grouped(&files), [vec!["DJI_0001.MP4", "DJI_0001.SRT", "DJI_0001.LRF"], vec!["DJI_0002.MP4"]]);
}

#[test]
fn pixel_cover_and_original_are_one_photo_though_their_times_differ_by_a_second() {
    let files = [
        taken("PXL_20230401_120000123.RAW-01.COVER.jpg", "2023-04-01T12:00:00"),
        taken("PXL_20230401_120000123.RAW-02.ORIGINAL.dng", "2023-04-01T12:00:01"),
    ];
    assert_eq!(
        grouped(&files),
        [["PXL_20230401_120000123.RAW-02.ORIGINAL.dng", "PXL_20230401_120000123.RAW-01.COVER.jpg"]]
    );
}

#[test]
fn an_orphan_sidecar_is_a_group_of_its_own() {
    assert_eq!(grouped(&[file("IMG_0001.xmp"), file("IMG_0002.JPG")]), [["IMG_0001.xmp"], ["IMG_0002.JPG"]]);
}

#[test]
fn trees_of_other_makers() {
    let tree =
        |path: &str| group(&[file(path)])[0].tree.clone().map(|t| (t.name, t.root.to_string_lossy().into_owned()));
    assert_eq!(tree("PRIVATE/AVCHD/BDMV/STREAM/00000.MTS"), Some(("AVCHD", "PRIVATE".to_owned())));
    assert_eq!(tree("AVCHD/BDMV/INDEX.BDM"), Some(("AVCHD", "AVCHD".to_owned())));
    assert_eq!(tree("M4ROOT/CLIP/C0001.MP4"), Some(("XAVC", "M4ROOT".to_owned())));
    assert_eq!(tree("CONTENTS/VIDEO/0001AB.MXF"), Some(("P2", "CONTENTS".to_owned())));
    assert_eq!(tree("XDROOT/Clip/C0001.MXF"), Some(("XDCAM", "XDROOT".to_owned())));
    assert_eq!(tree("A001.RDM/A001_C001.RDC/A001_C001_001.R3D"), Some(("RED", "A001.RDM".to_owned())));
    assert_eq!(tree("A001/A001_01.braw"), Some(("BRAW", "A001".to_owned())));
    assert_eq!(tree("DCIM/100CANON/IMG_0001.CR2"), None);
}

#[test]
fn every_file_is_in_exactly_one_group() {
    let names =
        ["A.JPG", "A.xmp", "A.JPG.xmp", "IMG_E0001.JPG", "GX010001.MP4", "C0001M01.XML", ".hidden", "noext", "A.CR2"];
    let files: Vec<GroupInput> = names.iter().map(|name| file(name)).collect();
    let mut seen: Vec<usize> = group(&files).iter().flat_map(|g| g.members.iter().map(|m| m.index)).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..files.len()).collect::<Vec<_>>());
    assert!(group(&[]).is_empty());
}

#[test]
fn a_thumbnail_of_a_clip_goes_to_the_recording_of_its_time() {
    let files = [
        taken("GOPR0123.MP4", "2019-06-01T10:00:00"),
        taken("GX010123.MP4", "2022-06-01T10:00:00"),
        taken("GX010123.THM", "2022-06-01T10:00:00"),
    ];
    assert_eq!(grouped(&files), [vec!["GOPR0123.MP4"], vec!["GX010123.MP4", "GX010123.THM"]]);
}
