#!/usr/bin/env bash
# Makes the first inputs of a target from real files: seeds.sh CORPUS TARGET FOLDER. Only small ones, and only beginnings of
# larger ones: headers are what is parsed.
set -euo pipefail
corpus=$1 target=$2 folder=$3
mkdir -p "$folder"
pick() { # pattern, bytes to skip, first byte of the input
  find "$corpus" -type f -iregex ".*\.\($1\)" | sort | while read -r file; do
    name=$(printf '%s' "$file$3" | cksum | tr ' ' -)
    { printf "$3"; tail -c "+$(($2 + 1))" "$file" | head -c 49152; } >"$folder/$name" || true
  done
}
case $target in
  jpeg) pick 'jpe?g\|thm' 3 '' ;;
  tiff) pick 'tiff?\|dng\|pef\|arw\|srw' 4 '\000'; pick 'nef\|nrw' 4 '\001'; pick 'cr2' 12 '\003'; pick 'orf' 4 '\004' ;;
  bmff) pick 'heic\|heif\|hif\|avif' 24 '\000'; pick 'cr3' 24 '\001'; pick 'mov' 20 '\002'; pick 'mp4' 24 '\003' ;;
  maker_notes)
    number=0
    for make in Canon NIKON SONY FUJI Panasonic OLYMPUS PENTAX RICOH SAMSUNG Apple LEICA SIGMA CASIO KONICA SANYO; do
      for mark in '' ; do
        find "$corpus" -type f -iregex '.*\.\(jpe?g\|exv\)' | sort | while read -r file; do
          grep -qai "$make" "$file" || continue
          name=$(printf '%s' "$file$number" | cksum | tr ' ' -)
          exiftool -b -MakerNotes "$file" >"$folder/note" 2>/dev/null || true
          [ -s "$folder/note" ] || { head -c 8192 "$file" | tail -c +400 >"$folder/note"; }
          { printf "\\$(printf %03o $number)"; head -c 32768 "$folder/note"; } >"$folder/$name"
          rm -f "$folder/note"
        done
      done
      number=$((number + 1))
    done ;;
  raw_containers)
    pick 'raf' 19 '\000'; pick 'rw2\|rwl\|raw' 8 '\001'; pick 'mrw' 4 '\002'; pick 'crw' 14 '\003'; pick 'x3f' 4 '\004'
    pick 'iiq' 4 '\005'; pick 'png' 8 '\006'; pick 'webp' 12 '\007'; pick 'jxl' 12 '\010'; pick 'jp2' 12 '\011'
    pick 'psd' 4 '\012'; pick 'exv' 7 '\013' ;;
  clips) pick 'avi' 12 '\000'; pick 'wav' 12 '\001'; pick 'xml\|aae' 0 '\002'; pick 'gif' 6 '\003'; pick 'mts\|m2ts' 0 '\204' ;;
  xmp) pick 'xmp' 0 '' ;;
  names) (cd "$corpus" && find . -type f | split -l 20 - "$folder/names-") ;;
esac
