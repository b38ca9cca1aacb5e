/** What `strata up` shows of its fleet at `/playground/v1/fleet`, as far as the page uses it. Fields are only added there. */
export interface FleetView {
  readonly servers: readonly PlayedServer[]
  /** The oldest first. */
  readonly releases: readonly string[]
  readonly roll: PlayedRoll | null
  readonly load: {
    readonly writesPerSecond: number
    readonly written: number
    readonly refused: number
  } | null
  readonly scenes: readonly PlayedScene[]
}

export interface PlayedServer {
  readonly name: string
  readonly release: string
  readonly state: 'ready' | 'starting' | 'draining' | 'stopped' | 'crashed' | 'frozen'
  readonly message?: string
}

export interface PlayedRoll {
  readonly from: string
  readonly to: string
  readonly direction: 'forward' | 'back'
  readonly state: 'running' | 'paused' | 'going-back' | 'done' | 'failed'
  readonly step: number
  readonly of: number
  readonly message: string
}

export interface PlayedScene {
  readonly name: string
  readonly title: string
  readonly proves: string
  readonly state: string
  readonly steps: readonly { readonly text: string; readonly state: string; readonly seen?: string }[]
  readonly sentence: string
}

/** The body of `POST /playground/v1/actions`. */
export interface PlayedAction {
  readonly action: string
  readonly [field: string]: string | number | boolean
}
