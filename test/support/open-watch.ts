import type { StrataServer } from '@strata/server'
import { utf8 } from '@strata/world'
import { adminToken } from './fleet.ts'

export interface SeenEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly object: any
}

export interface OpenWatch {
  readonly status: number
  /** The events so far. Grows while the simulation runs. */
  readonly events: SeenEvent[]
  readonly ended: boolean
  /** The client goes away. */
  cut(): void
  /** The client reads nothing more until the promise is settled. */
  pause(until: Promise<void>): void
}

/** A watch that reads as fast as it can, in the background. */
export async function openWatch(server: StrataServer, target: string, headers = {}): Promise<OpenWatch> {
  const gone = new AbortController()
  const response = await server.handle({
    method: 'GET',
    target,
    headers: { authorization: `Bearer ${adminToken}`, ...headers },
    signal: gone.signal,
  })
  const events: SeenEvent[] = []
  let ended = false
  let paused: Promise<void> = Promise.resolve()
  const read = async (): Promise<void> => {
    let rest = ''
    for await (const chunk of response.body instanceof Uint8Array ? [response.body] : response.body) {
      rest += utf8.decode(chunk)
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) events.push(JSON.parse(line))
      await paused
    }
    ended = true
  }
  void read()
  return {
    status: response.status,
    events,
    get ended() {
      return ended
    },
    cut: () => gone.abort(new Error('the client has gone')),
    pause: (until) => {
      paused = until
    },
  }
}
