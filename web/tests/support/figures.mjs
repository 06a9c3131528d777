// Figures against their budgets, and checks that hold or do not; printed as they come, summed up at the end.

export const percentile = (values, p) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN;
};

export class Figures {
  /** Without `judged`, times are printed and hold nothing up: for a machine that does other things too. */
  constructor(judged) {
    this.judged = judged;
    this.list = [];
    this.passed = 0;
    this.failed = [];
    this.skipped = [];
  }

  section(name) {
    console.log(`\n${name}`);
  }

  /** A measured value with what it may be at most. */
  most(what, value, budget, unit) {
    const holds = value <= budget;
    const round = (n) => (n >= 100 ? Math.round(n) : Math.round(n * 10) / 10);
    this.list.push({ what, value: round(value), budget, unit, holds });
    console.log(`  ${holds ? "ok  " : "OVER"} ${what}: ${round(value)} ${unit} (at most ${budget})`);
    if (holds) this.passed++;
    else if (this.judged || unit !== "ms") this.failed.push(`${what}: ${round(value)} ${unit}, at most ${budget}`);
  }

  /** The 95th percentile of some times. */
  p95(what, times, budget) {
    this.most(`${what}, p95 of ${times.length}`, percentile(times, 95), budget, "ms");
  }

  /** Something that is so or not. */
  check(what, holds, detail = "") {
    console.log(`  ${holds ? "ok  " : "FAIL"} ${what}${holds || !detail ? "" : `: ${detail}`}`);
    if (holds) this.passed++;
    else this.failed.push(detail ? `${what}: ${detail}` : what);
  }

  equal(what, found, wanted) {
    const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
    this.check(what, a === b, `${a} instead of ${b}`);
  }

  /** For reading only. */
  note(what, value) {
    this.list.push({ what, value });
    console.log(`       ${what}: ${value}`);
  }

  skip(what, why) {
    this.skipped.push(what);
    console.log(`  skip ${what}: ${why}`);
  }
}
