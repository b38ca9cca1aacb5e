import type { Client } from '@strata/client'
import type { Log, World } from '@strata/world'
import type { ControllerOptions } from './controller.ts'
import type { SharedInformers } from './shared-informers.ts'

/** What a controller is made of, for one term of leadership. */
export interface Term {
  readonly world: World
  readonly client: Client
  readonly informers: SharedInformers
  /** Names the controller. */
  readonly log: Log
}

/** A controller for one term, and whatever it needs to have running beside it. */
export interface ControllerPart extends Omit<ControllerOptions, 'name' | 'world'> {
  readonly background?: readonly ((signal: AbortSignal) => Promise<void>)[]
}
