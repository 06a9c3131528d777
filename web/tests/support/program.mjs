// The program under test: commands, and servers that can be killed and started again on the same port.

import { spawn, execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const execute = promisify(execFile);

export class Program {
  /** @param {string} path the lightfast binary */
  constructor(path) {
    this.path = path;
    /** Servers that still run. */
    this.servers = new Set();
  }

  /** Runs a command to its end; gives what it printed. A status other than 0 is an error. */
  async run(...args) {
    const { stdout } = await execute(this.path, args, { maxBuffer: 1 << 28 });
    return stdout;
  }

  /** A command's JSON lines. */
  async json(...args) {
    const text = await this.run(...args, "--json");
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  /** Starts a command that goes on by itself; resolves to its exit status. */
  begin(...args) {
    const child = spawn(this.path, args, { stdio: ["ignore", "ignore", "inherit"] });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
  }

  /** Serves a library; resolves once it can be opened. */
  async serve(library, port = 0) {
    const server = new Server(this, library);
    await server.start(port);
    return server;
  }

  stopAll() {
    for (const server of this.servers) server.child?.kill("SIGKILL");
  }
}

export class Server {
  constructor(program, library) {
    this.program = program;
    this.library = library;
  }

  async start(port) {
    const args = ["serve", "--json", "--port", String(port), "--library", this.library];
    const child = spawn(this.program.path, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.child = child;
    this.program.servers.add(this);
    this.ended = new Promise((resolve) => child.once("exit", resolve));
    const line = await new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
        if (text.includes("\n")) resolve(text);
      });
      child.once("error", reject);
      child.once("exit", (status) => reject(new Error(`serve ended with ${status} before it said its address`)));
    });
    /** The address with its token. */
    this.url = JSON.parse(line).address;
    const url = new URL(this.url);
    this.origin = url.origin;
    this.port = Number(url.port);
    this.token = url.searchParams.get("token");
  }

  /** Asks the API as a program does. */
  async ask(path, init = {}) {
    const headers = { "x-lightfast-token": this.token, ...init.headers };
    const response = await fetch(this.origin + path, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async json(path) {
    return (await this.ask(path)).json();
  }

  async post(path, body) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await this.ask(path, init)).json();
  }

  /** Row numbers of a result, as the page has them. */
  async rows(query = "") {
    const bytes = await (await this.ask(`/api/index?${new URLSearchParams({ q: query, descending: "true" })}`)).arrayBuffer();
    return [...new Uint32Array(bytes, 32, new DataView(bytes).getUint32(4, true))];
  }

  /** Photos of these rows, a hundred a request. */
  async photos(rows) {
    const found = [];
    for (let i = 0; i < rows.length; i += 100) found.push(...(await this.json(`/api/photos?rows=${rows.slice(i, i + 100)}`)));
    return found;
  }

  /** Live events, one call each, until `stop` is called. */
  listen(heard) {
    const controller = new AbortController();
    const done = (async () => {
      const response = await this.ask("/api/events", { signal: controller.signal });
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        const events = text.split("\n\n");
        text = events.pop();
        for (const event of events) {
          const field = (name) => event.split("\n").find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1).trim();
          if (field("data")) heard(field("event"), JSON.parse(field("data")));
        }
      }
    })().catch(() => undefined);
    return () => {
      controller.abort();
      return done;
    };
  }

  /** Megabytes of memory: now, and the most so far, of the server itself (its workers are told apart). */
  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    return { now: of("VmRSS"), most: of("VmHWM") };
  }

  /** As a power cut would. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
    this.program.servers.delete(this);
  }

  async stop() {
    this.child.kill("SIGINT");
    await this.ended;
    this.program.servers.delete(this);
  }
}
