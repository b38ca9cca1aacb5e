import type { Faults } from '@strata/server/store'
import { chance, pick } from '@strata/world'
import { count } from '../coverage.ts'
import type { EtcdLink } from './etcd-link.ts'
import { holdTimeMs } from './hold-time.ts'
import type { RealWorld } from './real-store.ts'

/** How often a link looks whether its process is cut off. */
const lookMs = 100

interface WeatherParts extends Pick<RealWorld, 'simulation' | 'history'> {
  readonly faults: Faults
  readonly random: Parameters<typeof chance>[0]
  readonly isCutOff: () => boolean
}

/** What befalls one link, by the rates of the simulated weather and in simulated time. */
export class LinkWeather {
  readonly #parts: WeatherParts
  #link: EtcdLink | undefined
  #isEnded = false

  constructor(parts: WeatherParts) {
    this.#parts = parts
  }

  begin(link: EtcdLink): void {
    this.#link = link
    this.#look(false)
  }

  end(): void {
    this.#isEnded = true
  }

  /** At a question: each fault meets whatever is on its way then. */
  strike(): void {
    const { random, faults } = this.#parts
    if (!this.#link || this.#link.isHolding) return
    if (chance(random, faults.requestLost))
      this.#holdBack('requests', true, 'cut before requests were sent on')
    else if (chance(random, faults.answerLost)) this.#holdBack('answers', true, 'answers dropped, and cut')
    else if (chance(random, 2 * faults.answerLost))
      this.#holdBack(pick(random, ['requests', 'answers', 'both'] as const), false, 'delayed')
  }

  strikeWatch(): void {
    const { random, faults } = this.#parts
    if (!this.#link || this.#link.isHolding || !chance(random, faults.watchCut)) return
    this.#count('cut at once')
    this.#link.cut()
  }

  #holdBack(what: 'requests' | 'answers' | 'both', isCut: boolean, name: string): void {
    const { simulation, random } = this.#parts
    this.#count(name)
    this.#link?.hold(what)
    simulation.clock.after(holdTimeMs(random), () => this.#release(isCut))
  }

  /** While a process is cut off nothing passes; afterwards its connections are dead, or go on as TCP does. */
  #look(wasCutOff: boolean): void {
    const { simulation, isCutOff, random } = this.#parts
    if (this.#isEnded) return
    const isNow = isCutOff()
    if (isNow) this.#link?.hold('both')
    if (isNow && !wasCutOff) this.#count('cut off')
    if (wasCutOff && !isNow) this.#release(chance(random, 0.5))
    simulation.clock.after(lookMs, () => this.#look(isNow))
  }

  #release(isCut: boolean): void {
    if (this.#isEnded || this.#parts.isCutOff()) return
    if (isCut) this.#link?.cut()
    this.#link?.letGo()
  }

  #count(what: string): void {
    count(this.#parts.history.counts, `store fault: ${what}`)
  }
}
