import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ran, runCommand } from '../support/run-command.ts'

/** What a scene gets: a cluster, the real kubectl, and the strata command. */
export interface Tools {
  readonly kubeconfig: string
  readonly kubectl: string
  /** How strata is started: program and first arguments. */
  readonly strata: readonly string[]
  /** For files and for what the commands remember. */
  readonly directory: string
}

/** What only a fleet of the test's own can do. */
export interface OwnFleet {
  /** Its servers are of different releases, and write this resource in different versions. */
  readonly mixedResource: string
  /** One for each of its servers, in the kubeconfig. */
  readonly contexts: readonly string[]
  /** Makes every server write Secrets under another key, and still read the one before. */
  rotateKey(): Promise<void>
}

/** The part of a cluster that one scene has for itself: a namespace, and CRDs in a group of its own. */
export class Ground {
  readonly name: string
  readonly group: string
  readonly own: OwnFleet | undefined
  readonly #tools: Tools
  readonly #log: (line: string) => void
  readonly #definitions = new Set<string>()
  readonly #others = new Set<string>()
  #isStrata: boolean | undefined

  constructor(name: string, tools: Tools, own: OwnFleet | undefined, log: (line: string) => void) {
    // What an earlier run left may still be going.
    const run = process.pid.toString(36)
    this.name = `scene-${name}-${run}`
    this.group = `${name}-${run}.scenes.example.dev`
    this.own = own
    this.#tools = tools
    this.#log = log
  }

  async kubectl(args: readonly string[], input?: unknown): Promise<Ran> {
    const { kubectl, kubeconfig } = this.#tools
    return this.#run('kubectl', [kubectl, ...args, '--kubeconfig', kubeconfig], args, input)
  }

  /** As `kubectl`, and it has to go well. */
  async must(args: readonly string[], input?: unknown): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(args, input)
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  /** Today's tool refuses, with this text. */
  async refused(args: readonly string[], input: unknown, why: RegExp): Promise<void> {
    const { code, stdout, stderr } = await this.kubectl(args, input)
    assert.notEqual(code, 0, `kubectl ${args.join(' ')} was not refused: ${stdout}`)
    assert.match(stderr, why)
  }

  /** As `refused`, as soon as all servers know what was changed before. */
  async untilRefused(args: readonly string[], why: RegExp): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { code, stdout, stderr } = await this.kubectl([...args, '--dry-run=server'])
      if (code !== 0 && why.test(stderr)) return
      assert.ok(tries < patience, `kubectl ${args.join(' ')} was not refused: ${stdout}${stderr}`)
    }
  }

  async untilDone(args: readonly string[]): Promise<void> {
    for (let tries = 1; (await this.kubectl(args)).code !== 0; tries++)
      assert.ok(tries < patience, `kubectl ${args.join(' ')} is still refused`)
  }

  async strata(...args: readonly string[]): Promise<Ran & { readonly said: string }> {
    const { strata, kubeconfig } = this.#tools
    const ran = await this.#run('strata', [...strata, ...args, '--kubeconfig', kubeconfig], args)
    return { ...ran, said: `${ran.stdout}${ran.stderr}` }
  }

  /** As `strata`, as soon as it ends with this exit code: servers take a while to agree on what was changed before. */
  async untilExit(code: number, ...args: readonly string[]): Promise<Ran & { readonly said: string }> {
    for (let tries = 1; ; tries++) {
      const ran = await this.strata(...args)
      if (ran.code === code) return ran
      assert.ok(
        tries < patience,
        `strata ${args.join(' ')} ends with ${ran.code}, not with ${code}: ${ran.said}`,
      )
    }
  }

  /** Whether servers guard their writes, so that results are proven. Elsewhere the best is "observed clean". */
  async isStrata(): Promise<boolean> {
    this.#isStrata ??= (await this.kubectl(['get', '--raw', '/apis/strata.dev'])).code === 0
    return this.#isStrata
  }

  /** The best verdict of this cluster, and the exit code that says so. */
  async best(): Promise<{ readonly code: number; readonly verdict: RegExp }> {
    return (await this.isStrata()) ? { code: 0, verdict: /proven/ } : { code: 3, verdict: /observed clean/ }
  }

  async begin(): Promise<void> {
    await mkdir(join(this.#tools.directory, this.name), { recursive: true })
    await this.must(['create', 'namespace', this.name])
  }

  /** Applies CRDs, and waits until they serve. */
  async define(...definitions: readonly Definition[]): Promise<void> {
    for (const each of definitions) this.#definitions.add(each.metadata.name)
    await this.must(['apply', '-f', '-'], listOf(definitions))
    const names = definitions.map(({ metadata }) => `crd/${metadata.name}`)
    await this.must(['wait', '--for=condition=Established', ...names, '--timeout=30s'])
  }

  /** Creates objects; again for as long as the cluster does not serve their kind yet. */
  async create(objects: readonly object[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { code, stderr } = await this.kubectl(['apply', '-f', '-'], listOf(objects))
      if (code === 0) return
      assert.ok(tries < patience && /no matches for kind|could not find|not found/.test(stderr), stderr)
    }
  }

  /** For what is not in the namespace: it is deleted at the end. */
  async createBeside(object: {
    readonly kind: string
    readonly metadata: { readonly name: string }
  }): Promise<void> {
    this.#others.add(`${object.kind}/${object.metadata.name}`)
    await this.must(['create', '-f', '-'], object)
  }

  async write(file: string, ...objects: readonly object[]): Promise<string> {
    const path = join(this.#tools.directory, this.name, file)
    await writeFile(path, objects.map((each) => JSON.stringify(each)).join('\n---\n'))
    return path
  }

  async storedVersions(definition: Definition): Promise<string> {
    return this.must(['get', 'crd', definition.metadata.name, '-o', 'jsonpath={.status.storedVersions}'])
  }

  async end(): Promise<void> {
    const others = [...this.#others]
    if (others.length > 0) await this.kubectl(['delete', '--ignore-not-found', ...others])
    const names = [...this.#definitions].map((name) => `crd/${name}`)
    const all = [...names, `namespace/${this.name}`]
    await this.kubectl(['delete', '--ignore-not-found', '--wait=false', ...all])
  }

  async #run(
    tool: string,
    command: readonly string[],
    args: readonly string[],
    input?: unknown,
  ): Promise<Ran> {
    const ran = await runCommand(command, this.#tools.directory, input)
    this.#log(`$ ${tool} ${args.join(' ')}\n${ran.stdout}${ran.stderr}(${ran.code})`)
    return ran
  }
}

/** How often a command is repeated until servers know what was changed. Each run takes a while itself. */
const patience = 50

const listOf = (items: readonly object[]) => ({ apiVersion: 'v1', kind: 'List', items })

export interface Definition {
  readonly metadata: { readonly name: string }
}
