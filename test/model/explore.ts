import type { Step } from './deliver.ts'
import { FleetSteps } from './fleet-steps.ts'
import { ProcessSteps } from './process-steps.ts'
import { brokenBy } from './promises.ts'
import { RecordChanges } from './record-changes.ts'
import { decodeState, encodeState, offSlot, type State } from './state.ts'
import { type Rules, rules as rightRules, type Story, serverCount } from './story.ts'
import { Symmetry } from './symmetry.ts'

export interface Exploration {
  readonly states: number
  readonly steps: number
  readonly records: number
  /** The longest way from the beginning that is nowhere shorter. */
  readonly depth: number
  /** The first promise that was broken, and how it came to that. */
  readonly broken: { readonly promise: string; readonly trace: readonly string[] } | undefined
  /** False if it was given up at the limit. */
  readonly isWhole: boolean
}

export interface ExploreOptions {
  readonly rules?: Rules
  readonly maxStates?: number
  readonly onProgress?: (states: number, waiting: number) => void
}

/** Visits every state that a story can reach, each once, nearest first. */
export function explore(story: Story, options: ExploreOptions = {}): Exploration {
  return new Explorer(story, options).run()
}

class Explorer {
  readonly #story: Story
  readonly #options: ExploreOptions
  readonly #changes: RecordChanges
  readonly #processes: ProcessSteps
  readonly #fleet: FleetSteps
  readonly #symmetry: Symmetry
  /** Each state that was met, and the one that it was met from. */
  readonly #from = new Map<string, string | undefined>()
  #steps = 0

  constructor(story: Story, options: ExploreOptions) {
    const { rules = rightRules } = options
    this.#story = story
    this.#options = options
    this.#changes = new RecordChanges(story, rules)
    this.#processes = new ProcessSteps(story, rules, this.#changes)
    this.#fleet = new FleetSteps(story, rules, this.#changes)
    this.#symmetry = new Symmetry(story, this.#changes)
  }

  run(): Exploration {
    const { maxStates = Number.POSITIVE_INFINITY, onProgress } = this.#options
    let wave = [this.#textOf(beginning(this.#story))]
    this.#from.set(wave[0] ?? '', undefined)
    let depth = 0
    for (; wave.length > 0; depth++) {
      const next: string[] = []
      for (const text of wave) {
        const broken = this.#expand(text, next)
        if (broken) return this.#result(depth, broken, false)
        if (this.#from.size > maxStates) return this.#result(depth, undefined, false)
      }
      onProgress?.(this.#from.size, next.length)
      wave = next
    }
    return this.#result(depth, undefined, true)
  }

  #expand(text: string, next: string[]): Exploration['broken'] {
    for (const step of this.#stepsOf(this.#stateOf(text))) {
      this.#steps++
      const promise = step.broken ?? brokenBy(this.#story, this.#changes, step.state)
      if (promise !== undefined) return { promise, trace: [...this.#traceTo(text), step.name] }
      const reached = this.#textOf(counted(this.#changes, step.state))
      if (this.#from.has(reached)) continue
      this.#from.set(reached, text)
      next.push(reached)
    }
    return undefined
  }

  *#stepsOf(state: State): Iterable<Step> {
    for (const index of state.slots.keys()) {
      yield* this.#processes.start(state, index)
      yield* this.#processes.live(state, index)
      yield* this.#processes.crash(state, index)
      yield* this.#processes.lateWrites(state, index)
    }
    yield* this.#fleet.arrivals(state)
    yield* this.#fleet.collect(state)
    yield* this.#fleet.settle(state)
    yield* this.#fleet.forgetUnseen(state)
    yield* this.#fleet.switchDefinition(state)
  }

  /** Names are those of each state on the way: servers that are alike may change places between two lines. */
  #traceTo(text: string): string[] {
    const before = this.#from.get(text)
    if (before === undefined) return []
    const step = [...this.#stepsOf(this.#stateOf(before))].find(
      ({ state }) => this.#textOf(counted(this.#changes, state)) === text,
    )
    return [...this.#traceTo(before), step?.name ?? '?']
  }

  #textOf(state: State): string {
    return encodeState(this.#symmetry.canonical(state))
  }

  #stateOf(text: string): State {
    return decodeState(text, serverCount(this.#story))
  }

  #result(depth: number, broken: Exploration['broken'], isWhole: boolean): Exploration {
    const records = this.#changes.table.size
    return { states: this.#from.size, steps: this.#steps, records, depth, broken, isWhole }
  }
}

/**
 * A census says proven as soon as it may: the object is in the version and key that all write, and every write is guarded.
 * That is the strongest claim, for it has to hold longest.
 */
function counted(changes: RecordChanges, state: State): State {
  const agreed = changes.agreedPair(state)
  const isClean = agreed >= 0 && (state.stored < 0 || state.stored === agreed)
  return isClean && state.proven !== agreed ? { ...state, proven: agreed } : state
}

/** Nothing is stored, and nothing runs. */
function beginning(story: Story): State {
  const servers = Array.from({ length: serverCount(story) }, () => undefined)
  return {
    ...{ record: 0, change: undefined, leases: servers, takings: servers, stored: -1 },
    slots: story.slots.map(() => offSlot),
    ...{ definition: 0, proven: -1 },
  }
}
