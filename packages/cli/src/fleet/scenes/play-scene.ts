import { deadline, sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { commandTyped } from '../../program-name.ts'
import { connectFleet, type FleetControl } from '../control/control-client.ts'
import { defaultDataDir } from '../fleet-options.ts'
import type { FleetState, SceneStepView, SceneView } from '../state/fleet-state.ts'
import { type RunningFleet, startOwnFleet } from './own-fleet.ts'
import type { PlayStep, Scene } from './scene.ts'
import { tellEveryMs } from './scene-keeper.ts'
import { type OpenStage, openStage } from './stage.ts'

export interface SceneOptions {
  readonly dataDir: string
  /** Servers of a fleet of its own. */
  readonly servers: number
  /** Wait for Enter before each step. */
  readonly pauses: boolean
}

const undoMs = 120_000

/** Plays a scene to its end, tells it to the user and to the dashboard of the fleet, and leaves everything as it was. */
export async function playScene(
  scene: Scene,
  options: SceneOptions,
  context: CliContext,
): Promise<SceneView> {
  const { signal } = context
  const running = await connectFleet(options.dataDir, signal)
  // What tells the end works also after Ctrl-C.
  const teller = await connectFleet(options.dataDir, new AbortController().signal)
  const play = new Performance(scene, options, teller, context)
  try {
    const state = await running.read()
    const why = scene.whyNot(state)
    if (why !== undefined) throw new CliError(`${scene.name} cannot be played now: ${why}`)
    return await play.run(state)
  } finally {
    running.close()
    teller.close()
  }
}

class Performance {
  readonly #scene: Scene
  readonly #options: SceneOptions
  readonly #teller: FleetControl
  readonly #context: CliContext
  readonly #say: (text: string) => void
  #view: SceneView
  #telling: Promise<void> = Promise.resolve()

  constructor(scene: Scene, options: SceneOptions, teller: FleetControl, context: CliContext) {
    const { name, title, shows } = scene
    this.#scene = scene
    this.#options = options
    this.#teller = teller
    this.#context = context
    this.#say = context.warn ?? (() => {})
    this.#view = { name, title, proves: shows, state: 'playing', steps: [], sentence: '' }
  }

  async run(state: FleetState): Promise<SceneView> {
    const { ownFleet, title, shows } = this.#scene
    this.#say(`${title}\n${shows}.`)
    const own = ownFleet && (await this.#startOwn(state))
    const ended = new AbortController()
    void this.#keepTelling(ended.signal)
    try {
      return await this.#playOn(own?.dataDir ?? this.#options.dataDir)
    } finally {
      ended.abort()
      await own?.end()
    }
  }

  async #startOwn({ resources }: FleetState): Promise<RunningFleet | undefined> {
    const { ownFleet } = this.#scene
    if (!ownFleet) return undefined
    const { servers } = this.#options
    this.#say(
      `It starts a fleet of its own, ${ownFleet.which}, in a temporary directory; the running one is left alone.`,
    )
    const own = {
      ...ownFleet,
      arguments: async (directory: string) => [
        ...resources.flatMap((each) => ['--resources', each]),
        ...(await ownFleet.arguments(directory)),
      ],
    }
    return startOwnFleet({ servers, own }, this.#context)
  }

  async #playOn(dataDir: string): Promise<SceneView> {
    const { signal } = this.#context
    const stage = await openStage(dataDir, this.#context, signal)
    try {
      if (this.#scene.ownFleet) await this.#introduce(stage)
      const play = this.#scene.begin(await stage.control.read())
      await this.#change({ steps: play.steps.map(({ text }) => ({ text, state: 'waiting' })) })
      for (const [index, step] of play.steps.entries())
        await this.#take(step, index, play.steps.length, stage)
      const { proven, sentence } = play.verdict()
      const tookMs = this.#view.steps.reduce((sum, step) => sum + (step.tookMs ?? 0), 0)
      return await this.#change({ state: proven ? 'proven' : 'not-shown', sentence, tookMs })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const isStopped = signal.aborted
      await this.#change({
        state: isStopped ? 'stopped' : 'not-shown',
        sentence: isStopped ? 'it was stopped' : message,
      })
      if (isStopped) throw new CliError('the scene was stopped', exitCodes.stopped)
      throw error
    } finally {
      await this.#undo(stage)
      stage.close()
    }
  }

  async #introduce({ dataDir, control }: OpenStage): Promise<void> {
    if (!this.#options.pauses) return
    this.#say(
      `\n     export KUBECONFIG='${dataDir}/admin.kubeconfig'\n     Its dashboard: ${await control.createLink()}`,
    )
  }

  async #take(step: PlayStep, index: number, of: number, stage: OpenStage): Promise<void> {
    this.#say(`\n${index + 1}/${of}  ${step.text}`)
    for (const line of step.typed) this.#say(`     $ ${this.#typed(line, stage.dataDir)}`)
    if (step.look !== undefined) this.#say(`     Dashboard: ${step.look}.`)
    if (this.#options.pauses) await this.#context.ask?.('     Press Enter. ')
    stage.signal.throwIfAborted()
    await this.#changeStep(index, { state: 'running' })
    const { clock } = this.#context.world
    const beganMs = clock.monotonicMs()
    try {
      const seen = await step.act(stage)
      const tookMs = Math.round(clock.monotonicMs() - beganMs)
      this.#say(`     → ${seen} (${(tookMs / 1000).toFixed(1)} s)`)
      await this.#changeStep(index, { state: 'done', seen, tookMs })
    } catch (error) {
      await this.#changeStep(index, { state: 'failed' })
      throw error
    }
  }

  /** As a user has to type it here. */
  #typed(line: string, dataDir: string): string {
    if (line.startsWith('kubectl ')) return line
    const isControl = /^(?:playground|roll) /.test(line)
    const place = isControl && dataDir !== defaultDataDir ? ` --data-dir ${dataDir}` : ''
    return `${commandTyped(this.#context.entry)} ${line}${place}`
  }

  async #undo({ dataDir, undoing }: OpenStage): Promise<void> {
    // What is deleted with the whole fleet needs no undoing.
    if (undoing.length === 0 || this.#scene.ownFleet) return
    this.#say('\nLeaving the fleet as it was.')
    const limit = deadline(this.#context.world.clock, undoMs)
    const after = await openStage(dataDir, this.#context, limit.signal)
    try {
      for (const undo of undoing) {
        await undo(after).catch((error: unknown) =>
          this.#say(`could not undo a step: ${error instanceof Error ? error.message : String(error)}`),
        )
      }
    } finally {
      after.close()
      limit.dispose()
    }
  }

  /** A fleet that hears nothing for a while takes it that this command was killed. */
  async #keepTelling(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await sleep(this.#context.world.clock, tellEveryMs, ended).catch(() => {})
      if (!ended.aborted && this.#view.state === 'playing') await this.#tell()
    }
  }

  #changeStep(index: number, change: Partial<SceneStepView>): Promise<SceneView> {
    const steps = this.#view.steps.map((step, at) => (at === index ? { ...step, ...change } : step))
    return this.#change({ steps })
  }

  async #change(change: Partial<SceneView>): Promise<SceneView> {
    this.#view = { ...this.#view, ...change }
    await this.#tell()
    return this.#view
  }

  /** One after the other, each the newest view. A fleet that has ended is noticed by the next step. */
  #tell(): Promise<void> {
    this.#telling = this.#telling.then(() => this.#teller.tellScene(this.#view)).catch(() => {})
    return this.#telling
  }
}
