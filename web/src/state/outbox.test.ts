import { expect, test, vi } from "vitest";
import { Trouble, type MarkAnswer } from "./api";
import { Outbox, type Letter } from "./outbox";

const answer: MarkAnswer = { matched: 1, changed: 1, step: 1, revision: 1 };

function storage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (k) => kept.get(k) ?? null,
    setItem: (k, v) => void kept.set(k, v),
    removeItem: (k) => void kept.delete(k),
  };
}

test("marks go in order, and one that waits for a dead server outlives the page", async () => {
  vi.useFakeTimers();
  const kept = storage();
  const log: string[] = [];
  let alive = true;
  const host = {
    sent: (l: Letter) => void log.push(`sent ${l.rows}`),
    refused: (l: Letter, t: Trouble) => void log.push(`refused ${l.rows}: ${t.message}`),
    waiting: (n: number, offline: boolean) => void log.push(`${n} wait${offline ? ", offline" : ""}`),
  };
  const send = (l: Letter): Promise<MarkAnswer> => {
    if (!alive) return Promise.reject(new Trouble("silence", 0));
    if (l.rows === "bad") return Promise.reject(new Trouble("no such photo", 404));
    return Promise.resolve(answer);
  };
  const outbox = new Outbox("k", host, kept, send);
  outbox.post({ rows: "1", change: { rating: 1 } });
  outbox.post({ rows: "bad", change: {} });
  await vi.advanceTimersByTimeAsync(0);
  alive = false;
  outbox.post({ rows: "2", change: { rating: 2 } });
  outbox.post({ rows: "3", change: { rating: 3 } });
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(["sent 1", "refused bad: no such photo", "0 wait", "2 wait, offline"]);

  // The page is closed here and opened again, with the server back.
  vi.clearAllTimers();
  alive = true;
  const again = new Outbox("k", host, kept, send);
  expect(again.count).toBe(2);
  await again.flush();
  expect(log.slice(4)).toEqual(["sent 2", "sent 3", "0 wait"]);
  expect(kept.kept.size).toBe(0);
  vi.useRealTimers();
});
