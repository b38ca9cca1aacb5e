import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, isRunningWith } from './child-processes.ts'
import { type Exit, lighthouseModule, StrataProcess } from './serve-process.ts'
import { until } from './until.ts'

const patience = { giveUpMs: 60_000 }

/** A local fleet of the example kind, and the commands that control it. */
export interface UpFleet {
  readonly dataDir: string
  readonly kubeconfig: string
  readonly up: StrataProcess
  /** Runs `strata …` against it, to its end. */
  strata(...args: readonly string[]): Promise<StrataProcess & { readonly exit: Exit }>
  /** Starts `strata …` against it. */
  start(...args: readonly string[]): StrataProcess
  /** What `strata playground show -o json` says. */
  state(): Promise<UpState>
}

export interface UpState {
  readonly servers: readonly {
    readonly name: string
    readonly release: string
    readonly state: string
    readonly pid: number
  }[]
  readonly roll: { readonly state: string; readonly step: number; readonly message: string } | null
  readonly load: {
    readonly writesPerSecond: number
    readonly written: number
    readonly refused: number
  } | null
  readonly scenes: readonly { readonly name: string; readonly state: string; readonly sentence: string }[]
}

/** Runs `body` with a fleet of `strata up`, and leaves no process and no file behind, however it ends. */
export async function withUpFleet(
  flags: readonly string[],
  body: (fleet: UpFleet) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-up-'))
  const dataDir = join(directory, 'data')
  const processes: StrataProcess[] = []
  const start = (...args: readonly string[]): StrataProcess => {
    const started = new StrataProcess(args[0] ?? '', [...args, '--data-dir', dataDir])
    processes.push(started)
    return started
  }
  const up = start('up', '--port', '0', '--resources', lighthouseModule, ...flags)
  // They are in process groups of their own, and a frozen one does not notice that `up` is gone.
  const children = new Set<number>()
  const strata: UpFleet['strata'] = async (...args) => {
    const ran = start(...args)
    return Object.assign(ran, { exit: await ran.ended() })
  }
  try {
    await until('the fleet is up', () => up.stdout.includes('The fleet is up') || !up.running, patience)
    const state = async (): Promise<UpState> => {
      const shown = await strata('playground', 'show', '-o', 'json')
      if (shown.exit.code !== 0) throw new Error(shown.output)
      return JSON.parse(shown.stdout)
    }
    await body({ dataDir, kubeconfig: join(dataDir, 'admin.kubeconfig'), up, strata, start, state })
  } catch (error) {
    for (const { name, output } of processes) process.stderr.write(`--- ${name} said:\n${output}\n`)
    throw error
  } finally {
    if (up.running) for (const pid of childrenOf(up.pid)) children.add(pid)
    await Promise.all(processes.map((each) => each.kill()))
    for (const pid of children) if (isRunningWith(pid, dataDir)) process.kill(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
}
