import { HeldWrite } from '../lab/held-write.ts'
import { currentServers, type Json, type LabServer } from '../lab/lab.ts'
import type { PathStep, RehearsalPath } from '../path/rehearsal-path.ts'
import { nameOf, offerObject } from './create-objects.ts'
import { type RehearsalRun, serverText } from './rehearsal-run.ts'
import { useObjects } from './use-objects.ts'

export interface InterruptionPlan {
  /** From 1. */
  readonly server: number
  /** It stops in the middle of a write after this step, and goes on after that one. */
  readonly from: number
  readonly to: number
}

/** Whether this step leaves a server in peace: its process is neither restarted nor asked for anything. */
function leavesAlone({ deed }: PathStep, server: number, isByCrd: boolean): boolean {
  if (deed.do === 'release') return false
  if (deed.do === 'upgrade' || deed.do === 'rollback') return isByCrd || deed.late.includes(server)
  return !('server' in deed) || deed.server !== server
}

/** Every way to stop one server in the middle of a write, and to let it go on some steps later. */
export function planInterruptions({ steps, servers, subject }: RehearsalPath): readonly InterruptionPlan[] {
  const plans: InterruptionPlan[] = []
  for (let server = 1; server <= servers; server++) {
    for (let from = 1; from < steps.length; from++) {
      for (let to = from + 1; to <= steps.length; to++) {
        const between = steps.slice(from, to)
        if (!between.every((step) => leavesAlone(step, server, subject.kind === 'crds'))) break
        plans.push({ server, from, to })
      }
    }
  }
  return plans
}

const arrivesMs = 20_000

/** One server that is stopped between encoding an object and storing it, as by a pause of its machine. */
export class Interruption {
  readonly plan: InterruptionPlan
  #held: HeldWrite | undefined
  #name = ''
  #version = ''
  #created: Json
  #kind: RehearsalRun['kinds'][number] | undefined

  constructor(plan: InterruptionPlan) {
    this.plan = plan
  }

  /** What became of the write; undefined if none was begun. */
  get outcome(): 'stored' | 'refused' | undefined {
    return this.#held?.outcome
  }

  async after(run: RehearsalRun, step: number): Promise<void> {
    const server = run.lab.servers[this.plan.server - 1]
    if (!server) return
    if (step === this.plan.from) await this.#begin(run, server)
    if (step === this.plan.to) await this.#end(run, server)
  }

  async #begin(run: RehearsalRun, server: LabServer): Promise<void> {
    if (!currentServers(run.lab).includes(server)) return
    for (const kind of run.kinds) {
      const name = `${nameOf(kind, run.step)}-paused`
      const offer = await offerObject(run, server, kind, name, '?dryRun=All')
      if (!('object' in offer)) continue
      const held = new HeldWrite((key) => key.startsWith(kind.prefix))
      server.held = held
      run.lab.send(server, { method: 'POST', target: offer.target, body: offer.object })
      if (!(await run.lab.until(() => held.key !== undefined, arrivesMs))) continue
      this.#held = held
      this.#name = name
      this.#kind = kind
      this.#version = offer.version
      this.#created = offer.created
      const text = `a client creates ${name} through ${serverText(server)}, which encodes it in ${offer.version}, and stops before it is stored`
      return run.tell('write', text, server)
    }
  }

  async #end(run: RehearsalRun, server: LabServer): Promise<void> {
    const [held, kind] = [this.#held, this.#kind]
    if (!held || !kind) return
    server.thaw()
    run.tell('server', `${serverText(server)} goes on`, server)
    await run.lab.until(() => held.outcome !== undefined && server.isReady, arrivesMs)
    server.held = undefined
    if (held.outcome === undefined) {
      const message = `the write of ${this.#name} does not arrive in time: what becomes of it is not known`
      return run.find({ level: 'could not see', rule: 'no-answer', message, server: server.number })
    }
    if (held.outcome === 'refused') {
      run.tell(
        'write',
        `the write of ${this.#name} arrives, and the store refuses it: what it was encoded under has changed`,
        server,
      )
      return
    }
    run.tell(
      'write',
      `the write of ${this.#name} arrives, and is stored in ${await run.storedVersionOf(held.key ?? '')}`,
      server,
    )
    const born = { kind, namespace: 'default', name: this.#name, bornIn: run.step, isTouched: false }
    run.ledger.add(born, this.#version, this.#created)
    await useObjects(run)
  }
}
