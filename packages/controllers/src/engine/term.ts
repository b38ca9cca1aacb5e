import type { Client } from '@strata/client'
import type { Log, World } from '@strata/world'
import type { ControllerOptions } from './controller.ts'
import type { SharedInformers } from './shared-informers.ts'

/** The dependencies of a controller for one term of leadership. */
export interface Term {
  readonly world: World
  readonly client: Client
  readonly informers: SharedInformers
  /** With the name of the controller. */
  readonly log: Log
}

/** A controller for one term, with its background tasks. */
export interface ControllerPart extends Omit<ControllerOptions, 'name' | 'world'> {
  readonly background?: readonly ((signal: AbortSignal) => Promise<void>)[]
}
