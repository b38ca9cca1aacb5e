import { batch, computed, signal } from '@preact/signals'
import type { RehearsalResult } from '@strata/rehearsal/result'
import type { Cancel, Clock } from '@strata/world'
import type { RehearsalExample, RehearsalPlayer } from '../../live/play-rehearsals.ts'
import type { LoadProblem } from '../../model/rehearsal/check-shape.ts'
import { type NamedResult, problemsOf, readLoaded } from '../../model/rehearsal/read-loaded.ts'
import { storedVersions, viewOfResult } from '../../model/rehearsal/step-views.ts'
import { decidePlayhead, type PlayCommand, type Playhead } from '../../model/rehearsal/stepping.ts'
import type { VersionColours } from '../../model/version-colours.ts'

export interface DeskParts {
  readonly clock: Clock
  readonly colours: VersionColours
  /** Undefined where nothing plays rehearsals: then results are loaded. */
  readonly player: RehearsalPlayer | undefined
  readonly isMotionReduced: () => boolean
}

/** How long a step is shown while a path is played. */
const stepMs = 1_200

/** What is loaded and which step is shown. It stays when the user looks at another view meanwhile. */
export class RehearsalDesk {
  readonly #parts: DeskParts
  readonly #results = signal<readonly NamedResult[]>([])
  readonly #chosen = signal(0)
  readonly #playhead = signal<Playhead>({ at: 0, isPlaying: false })
  readonly #examples = signal<readonly RehearsalExample[]>([])
  readonly #problems = signal<readonly LoadProblem[]>([])
  /** The name of what is being played by the gateway. */
  readonly #waitingFor = signal<string | undefined>(undefined)
  /** Of the example whose result is shown, or waited for. */
  #example: string | undefined
  #asked = 0
  #stopTimer: Cancel = () => {}

  readonly canPlay: boolean
  readonly results = computed(() => this.#results.value.map(({ name }) => name))
  readonly chosen = computed(() => this.#chosen.value)
  readonly shown = computed(() => {
    const named = this.#results.value[this.#chosen.value]
    return named && { name: named.name, view: viewOfResult(named.result) }
  })
  readonly playhead = computed(() => this.#playhead.value)
  readonly examples = computed(() => this.#examples.value)
  readonly problems = computed(() => this.#problems.value)
  readonly waitingFor = computed(() => this.#waitingFor.value)

  constructor(parts: DeskParts) {
    this.#parts = parts
    this.canPlay = parts.player !== undefined
  }

  /** Shows an example. Nothing is played again that is shown already. */
  async openExample(name: string): Promise<void> {
    if (this.#example === name || !this.canPlay) return
    this.#example = name
    await this.#load(name, async () => {
      await this.listExamples()
      const example = this.#examples.value.find((each) => each.name === name)
      if (!example) throw new Error(`There is no example ${name}.`)
      return JSON.stringify(example.path)
    })
  }

  /** Shows what a user has chosen or pasted: a path, or a result. */
  async open(name: string, read: () => Promise<string>): Promise<void> {
    this.#example = undefined
    await this.#load(name, read)
  }

  async listExamples(): Promise<void> {
    if (this.#examples.value.length > 0) return
    this.#examples.value = (await this.#parts.player?.examples()) ?? []
  }

  /** Back to what can be loaded. */
  leave(): void {
    this.#asked++
    this.#example = undefined
    this.#show([])
  }

  choose(index: number): void {
    batch(() => {
      this.#chosen.value = index
      this.#begin()
    })
  }

  control(command: PlayCommand): void {
    this.#stopTimer()
    const steps = this.shown.value?.view.steps.length ?? 0
    const isMotionReduced = this.#parts.isMotionReduced()
    this.#playhead.value = decidePlayhead(this.#playhead.value, command, { steps, isMotionReduced })
    if (this.#playhead.value.isPlaying)
      this.#stopTimer = this.#parts.clock.after(stepMs, () => this.control('tick'))
  }

  async #load(name: string, read: () => Promise<string>): Promise<void> {
    const asked = ++this.#asked
    this.#problems.value = []
    this.#waitingFor.value = name
    const shown = await this.#read(name, read).catch((error: unknown) =>
      problemsOf(error instanceof Error ? error.message : String(error)),
    )
    // Something else was asked for meanwhile.
    if (asked !== this.#asked) return
    if (isResults(shown)) return this.#show(shown)
    this.#example = undefined
    this.#show([], shown)
  }

  async #read(name: string, read: () => Promise<string>): Promise<Outcome> {
    const content = await read()
    const loaded = readLoaded(content, name)
    switch (loaded.kind) {
      case 'results':
        return loaded.results
      case 'wrong':
        return loaded.problems
      case 'path': {
        const { player } = this.#parts
        if (player) return [{ name, result: await player.play(content) }]
        const how = 'it is a path, or no result at all: load what "strata rehearse FILE -o json" prints'
        return [{ field: '', message: how }]
      }
    }
  }

  #show(results: readonly NamedResult[], problems: readonly LoadProblem[] = []): void {
    for (const { result } of results) this.#learnColours(result)
    batch(() => {
      this.#waitingFor.value = undefined
      this.#problems.value = problems
      this.#results.value = results
      this.#chosen.value = 0
      this.#begin()
    })
  }

  #begin(): void {
    this.#playhead.value = { at: 0, isPlaying: false }
    this.control('play')
  }

  #learnColours(result: RehearsalResult): void {
    for (const [resource, versions] of storedVersions(result)) this.#parts.colours.learn(resource, versions)
  }
}

type Outcome = readonly NamedResult[] | readonly LoadProblem[]

const isResults = (outcome: Outcome): outcome is readonly NamedResult[] =>
  outcome.some((each) => 'result' in each)
