import type { Step } from './deliver.ts'
import { FleetSteps } from './fleet-steps.ts'
import { packState, Unpacker, wordsPerState } from './packing.ts'
import { ProcessSteps } from './process-steps.ts'
import { brokenBy } from './promises.ts'
import { RecordChanges } from './record-changes.ts'
import { offSlot, type State } from './state.ts'
import { type Rules, rules as rightRules, type Story, serverCount } from './story.ts'
import { Symmetry } from './symmetry.ts'
import { VisitedStates } from './visited.ts'

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
  readonly #visited = new VisitedStates()
  readonly #unpacker: Unpacker
  readonly #words = new Uint32Array(wordsPerState)
  #steps = 0

  constructor(story: Story, options: ExploreOptions) {
    const { rules = rightRules } = options
    this.#story = story
    this.#options = options
    this.#changes = new RecordChanges(story, rules)
    this.#processes = new ProcessSteps(story, rules, this.#changes)
    this.#fleet = new FleetSteps(story, rules, this.#changes)
    this.#symmetry = new Symmetry(story, this.#changes)
    this.#unpacker = new Unpacker(story.slots.length, serverCount(story))
  }

  run(): Exploration {
    const { maxStates = Number.POSITIVE_INFINITY, onProgress } = this.#options
    const visited = this.#visited
    this.#meet(beginning(this.#story), -1)
    let depth = 0
    for (let place = 0; place < visited.size; depth++) {
      const nearer = visited.size
      for (; place < nearer; place++) {
        const broken = this.#expand(place)
        if (broken) return this.#result(depth, broken, false)
        if (visited.size > maxStates) return this.#result(depth, undefined, false)
        if (place % 4096 === 0) onProgress?.(visited.size, visited.size - place)
      }
    }
    return this.#result(depth, undefined, true)
  }

  #expand(place: number): Exploration['broken'] {
    for (const step of this.#stepsOf(this.#stateAt(place))) {
      this.#steps++
      const promise = step.broken ?? brokenBy(this.#story, this.#changes, step.state)
      if (promise !== undefined) return { promise, trace: [...this.#traceTo(place), step.name] }
      this.#meet(step.state, place)
    }
    return undefined
  }

  #meet(state: State, origin: number): void {
    packState(this.#canonical(state), this.#words)
    this.#visited.add(this.#words, origin)
  }

  #canonical(state: State): State {
    return this.#symmetry.canonical(counted(this.#changes, state))
  }

  *#stepsOf(state: State): Iterable<Step> {
    for (const index of state.slots.keys()) {
      yield* this.#processes.start(state, index)
      yield* this.#processes.live(state, index)
      yield* this.#processes.crash(state, index)
      yield* this.#processes.write(state, index)
    }
    yield* this.#fleet.arrivals(state)
    yield* this.#fleet.collect(state)
    yield* this.#fleet.settle(state)
    yield* this.#fleet.forgetUnseen(state)
    yield* this.#fleet.switchDefinition(state)
  }

  /** Names are those of each state on the way: servers that are alike may change places between two lines. */
  #traceTo(place: number): string[] {
    const origin = this.#visited.originOf(place)
    if (origin < 0) return []
    const reached = packed(this.#stateAt(place))
    const step = [...this.#stepsOf(this.#stateAt(origin))].find(
      ({ state }) => packed(this.#canonical(state)) === reached,
    )
    return [...this.#traceTo(origin), step?.name ?? '?']
  }

  #stateAt(place: number): State {
    this.#visited.read(place, this.#words)
    return this.#unpacker.unpack(this.#words)
  }

  #result(depth: number, broken: Exploration['broken'], isWhole: boolean): Exploration {
    const records = this.#changes.table.size
    return { states: this.#visited.size, steps: this.#steps, records, depth, broken, isWhole }
  }
}

function packed(state: State): string {
  const words = new Uint32Array(wordsPerState)
  packState(state, words)
  return words.join(' ')
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
    ...{ record: 0, change: undefined, leases: servers, takings: servers, stored: -1, late: undefined },
    slots: story.slots.map(() => offSlot),
    ...{ definition: 0, proven: -1 },
  }
}
