import { MissingTool } from "../../packages/processes/error.ts";

/** What a started fixture provides for the test files. */
export interface StartedFixture {
  /** Variables for the files that need it. */
  env: Readonly<Record<string, string>>;
  /** Parts that this machine cannot run, one sentence each. */
  unavailable?: readonly string[];
  /** Resolves if it ends without being stopped, with the reason why later files fail. */
  died?: Promise<Error>;
  /** Removes what a test file that has ended left behind. `word` is in its names, see `FILE_ENV`. */
  clean?(word: string): Promise<void>;
  stop(): Promise<void>;
}

/** A server that the test files of one run share. Add one to the list in test/run.ts. */
export interface SharedFixture {
  name: string;
  /** Returns whether the file needs it. `imports` are all files that it imports, directly or not, from the root. */
  needed(file: string, imports: ReadonlySet<string>): boolean;
  /** Throws MissingTool when this machine lacks a program for it. `folder` is empty and removed after the run. */
  start(context: { folder: string; say: (line: string) => void }): Promise<StartedFixture>;
}

/** How a fixture's start ended: every file that needs it shares this. */
export type FixtureState =
  | { kind: "started"; fixture: StartedFixture }
  | { kind: "missing-tool"; message: string }
  | { kind: "failed"; message: string };

/** Starts fixtures when a file first needs them, each once, and stops them together. */
export class SharedFixtures {
  readonly #states = new Map<SharedFixture, Promise<FixtureState>>();
  readonly #deaths: string[] = [];
  readonly #start: (fixture: SharedFixture) => Promise<StartedFixture>;

  constructor(start: (fixture: SharedFixture) => Promise<StartedFixture>) {
    this.#start = start;
  }

  /** Returns the fixture's state; starts it on the first call. */
  get(fixture: SharedFixture): Promise<FixtureState> {
    const known = this.#states.get(fixture);
    if (known) return known;
    const state = this.#start(fixture).then(
      (started): FixtureState => {
        void started.died?.then((error) => this.#deaths.push(`${fixture.name}: ${error.message}`));
        return { kind: "started", fixture: started };
      },
      (error: unknown): FixtureState => {
        if (error instanceof MissingTool) return { kind: "missing-tool", message: error.message };
        return { kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      },
    );
    this.#states.set(fixture, state);
    return state;
  }

  /** Returns the parts that could not be started, of all fixtures. */
  async unavailable(): Promise<string[]> {
    const states = await Promise.all(this.#states.values());
    return states.flatMap((state) => (state.kind === "started" ? (state.fixture.unavailable ?? []) : []));
  }

  /** Returns why fixtures have ended by themselves so far. */
  deaths(): readonly string[] {
    return this.#deaths;
  }

  /** Tries to stop every started fixture. Returns the messages of those that failed. */
  async stop(): Promise<string[]> {
    const states = await Promise.all(
      [...this.#states].map(async ([{ name }, state]) => ({ name, state: await state })),
    );
    const stops = await Promise.all(
      states.map(async ({ name, state }) => {
        try {
          if (state.kind === "started") await state.fixture.stop();
          return undefined;
        } catch (error) {
          return `${name} did not stop: ${error instanceof Error ? error.message : error}`;
        }
      }),
    );
    return stops.filter((message) => message !== undefined);
  }
}
