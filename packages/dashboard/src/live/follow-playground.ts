import { linesOf } from '@strata/client'
import { type Clock, sleep } from '@strata/world'
import type { FleetView, PlayedAction } from '../model/playground/fleet-view.ts'
import type { PlayedEvent } from '../model/timeline/played-events.ts'
import { askGateway, type GatewayAccess } from './ask-gateway.ts'

export interface PlaygroundOptions extends GatewayAccess {
  readonly clock: Clock
}

const againMs = 1_000

/** Shows each state of the fleet until the signal is aborted. */
export async function followPlayground(
  options: PlaygroundOptions,
  show: (fleet: FleetView) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await askGateway(options, 'GET', '/playground/v1/fleet?watch=1', undefined, signal)
      for await (const line of linesOf(body)) show(JSON.parse(line) as FleetView)
    } catch {
      // The page says itself that the connection is lost.
    }
    await sleep(options.clock, againMs, signal).catch(() => {})
  }
}

/** Shows each event of the fleet, those of before first, until the signal is aborted. */
export async function followEvents(
  options: PlaygroundOptions,
  show: (event: PlayedEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let after = 0
  while (!signal.aborted) {
    try {
      const { body } = await askGateway(
        options,
        'GET',
        `/playground/v1/events?watch=1&after=${after}`,
        undefined,
        signal,
      )
      for await (const line of linesOf(body)) {
        const event = JSON.parse(line) as PlayedEvent
        after = event.number
        show(event)
      }
    } catch {
      // The page says itself that the connection is lost.
    }
    await sleep(options.clock, againMs, signal).catch(() => {})
  }
}

/** Resolves once the action has begun. Throws the reason of the fleet if it is refused. */
export async function actOnPlayground(
  options: PlaygroundOptions,
  action: PlayedAction,
  signal: AbortSignal,
): Promise<void> {
  await askGateway(options, 'POST', '/playground/v1/actions', action, signal)
}
