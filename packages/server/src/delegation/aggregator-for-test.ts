import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { Aggregator } from './aggregator.ts'

export type Answering = (
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever was sent.
  object: any,
  request: HttpRequest,
) => HttpResponse | Promise<HttpResponse>

export const json = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: utf8.encode(JSON.stringify(value)),
})

/** An aggregator in a simulated world. `sent` has every request, as object or as path. */
export class TestAggregator {
  readonly simulation: Simulation
  readonly world: ReturnType<Simulation['process']>
  readonly aggregator: Aggregator
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever was sent.
  readonly sent: any[] = []
  answer: Answering

  constructor(name: string, answer: Answering) {
    this.simulation = new Simulation(name)
    this.world = this.simulation.process('a')
    this.answer = answer
    const { clock, random } = this.world
    this.aggregator = new Aggregator({
      ...{ clock, random, url: 'https://agg:6443' },
      transport: async (request) => {
        const object = request.body ? JSON.parse(utf8.decode(request.body)) : request.target
        this.sent.push(object)
        return this.answer(object, request)
      },
    })
  }

  settle<T>(value: T | Promise<T>): Promise<T> {
    return this.simulation.settle(Promise.resolve(value))
  }

  sleep(ms: number): Promise<void> {
    return this.settle(new Promise((resolve) => this.simulation.clock.after(ms, resolve)))
  }
}

/** No answer before the request is aborted. */
export const silence: Answering = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
