import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProgram } from '@strata/cli'
import { type Clock, silentLog } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import type { ServerAccess } from '../../golden/served-store.ts'
import { StrataProcess } from '../../support/serve-process.ts'
import type { Json, Operator } from '../real-crds/operator.ts'

export interface RanUpgrade {
  readonly code: number
  readonly warned: string
  readonly reports: readonly Json[]
}

export interface UpgradeRun {
  /** Called before a step is taken, with its line; everything waits until it returns. */
  readonly onLine?: (line: string) => void
  /** Time passes so many times faster: for runs that wait for what never comes. */
  readonly speed?: number
  /** To the question before the first write; without one, `--yes` is given. */
  readonly answer?: string
}

/** An operator with `strata crd upgrade`, and a directory for files and for what the command keeps. */
export class UpgradeDesk {
  readonly operator: Operator
  readonly directory: string
  readonly #access: ServerAccess

  private constructor(operator: Operator, access: ServerAccess, directory: string) {
    this.operator = operator
    this.directory = directory
    this.#access = access
  }

  static async with<T>(
    operator: Operator,
    access: ServerAccess,
    body: (desk: UpgradeDesk) => Promise<T>,
  ): Promise<T> {
    const directory = await mkdtemp(join(tmpdir(), 'strata-upgrade-'))
    try {
      return await body(new UpgradeDesk(operator, access, directory))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  /** Installs a CRD as a tool does, and waits until it is served. */
  async install(crd: Json, tool: readonly string[] = ['apply', '--server-side']): Promise<void> {
    await this.operator.good([...tool, '-f', '-'], crd)
    await this.operator.good(['wait', '--for=condition=Established', `crd/${crd.metadata.name}`])
  }

  async file(crd: Json): Promise<string> {
    const path = join(this.directory, `${crd.metadata.name}.yaml`)
    await writeFile(path, JSON.stringify(crd))
    return path
  }

  async upgrade(
    args: readonly string[],
    { onLine = () => {}, speed = 1, answer }: UpgradeRun = {},
  ): Promise<RanUpgrade> {
    const warned: string[] = []
    const printed: string[] = []
    const code = await createProgram({
      world: { ...createNodeWorld({ log: silentLog }), clock: clockAt(speed) },
      signal: new AbortController().signal,
      ...{ environment: this.#environment, isTerminal: false, screen: undefined, execPath: '', entry: '' },
      print: (line) => printed.push(line),
      warn: (line) => {
        warned.push(line)
        onLine(line)
      },
      ...(answer === undefined ? {} : { ask: async () => answer }),
    }).run(this.#flags(args, answer === undefined))
    const reports = JSON.parse(printed.join('\n')).definitions
    return { code, warned: warned.join('\n'), reports }
  }

  /** The process is killed before it takes the step whose line has `text`. */
  async killedAt(text: string, args: readonly string[]): Promise<void> {
    const script = join(import.meta.dirname, 'killed-upgrade.ts')
    const flags = [text, ...this.#flags(args)]
    const killed = new StrataProcess('killed', flags, script, { environment: this.#environment })
    const { signal } = await killed.ended()
    assert.equal(signal, 'SIGKILL', killed.output)
  }

  /** Done while everything else of this process stands still. */
  now(args: readonly string[], input: Json): void {
    const { status, stderr } = spawnSync(
      process.env.STRATA_KUBECTL ?? 'kubectl',
      ['--kubeconfig', this.#access.kubeconfig, ...args, '-f', '-'],
      { input: JSON.stringify(input), encoding: 'utf8', env: { ...process.env, HOME: this.directory } },
    )
    assert.equal(status, 0, stderr)
  }

  async crd(name: string): Promise<Json> {
    return this.operator.must('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`)
  }

  /** Specs and metadata of all objects, without what every rewrite changes. */
  async objects(plural: string, versionName: string): Promise<readonly Json[]> {
    const path = `/apis/light.example.dev/${versionName}/${plural}`
    const { items } = await this.operator.must('GET', path)
    return items.map(({ metadata, spec }: Json) => {
      const { resourceVersion: _, managedFields, ...rest } = metadata
      return { spec, metadata: rest, managers: (managedFields ?? []).map(({ manager }: Json) => manager) }
    })
  }

  #flags(args: readonly string[], isSure = true): string[] {
    const { kubeconfig } = this.#access
    const yes = isSure ? ['--yes'] : []
    return ['crd', 'upgrade', '--kubeconfig', kubeconfig, ...yes, '-o', 'json', ...args]
  }

  get #environment(): Record<string, string> {
    return { HOME: this.directory, XDG_STATE_HOME: join(this.directory, 'state') }
  }
}

const clockAt = (speed: number): Clock => ({
  ...nodeClock,
  monotonicMs: () => nodeClock.monotonicMs() * speed,
  after: (delayMs, callback) => nodeClock.after(delayMs / speed, callback),
})
