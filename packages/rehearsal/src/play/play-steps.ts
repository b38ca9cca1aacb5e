import { ApiError } from '@strata/api'
import { TransportError } from '@strata/world'
import type { Lab } from '../lab/lab.ts'
import { type PlannedStep, stepText } from '../path/rehearsal-form.ts'
import { isStored, type PathStep, type RehearsalPath } from '../path/rehearsal-path.ts'
import type { RehearsalEvent, StepResult } from '../result/rehearsal-result.ts'
import { decideVerdict } from '../verdict/decide-verdict.ts'
import { applyCrds, refreshCrds } from './apply-crds.ts'
import { createObjects } from './create-objects.ts'
import { findUntested, knownKinds } from './find-untested.ts'
import type { Interruption } from './interruption.ts'
import { migrateResources, pruneCrds } from './migrate-step.ts'
import { RehearsalRun } from './rehearsal-run.ts'
import { rollServers, startOne, startServers } from './roll-servers.ts'
import { takeOver } from './take-over.ts'
import { useObjects } from './use-objects.ts'

export interface PlayedPath {
  readonly steps: readonly StepResult[]
  readonly events: readonly RehearsalEvent[]
}

export interface PlayStepsOptions {
  readonly interruption?: Interruption
  readonly onEvent?: (event: RehearsalEvent) => void
  readonly signal?: AbortSignal | undefined
}

/** Plays the path once, with a server that is interrupted in the middle of a write if there is an interruption. */
export async function playSteps(
  path: RehearsalPath,
  lab: Lab,
  { interruption, onEvent = () => {}, signal }: PlayStepsOptions = {},
): Promise<PlayedPath> {
  const run = new RehearsalRun(path, lab, onEvent)
  const steps: StepResult[] = []
  for (const [index, step] of path.steps.entries()) {
    signal?.throwIfAborted()
    run.nextStep(index + 1)
    const fromMs = run.lab.nowMs
    const known = knownKinds(run)
    run.tell('step', stepText(step as PlannedStep))
    try {
      await take(run, step)
    } catch (error) {
      // A client of the fleet that got no answer: what became of its request is not known.
      if (!(error instanceof ApiError || error instanceof TransportError)) throw error
      run.find({
        level: 'could not see',
        rule: 'no-answer',
        message: `the step did not end: ${error.message}`,
      })
    }
    await interruption?.after(run, index + 1)
    await refreshCrds(run)
    findUntested(run, known, path.steps.slice(index + 1))
    const { reasons, serverStates } = run
    const stored = await run.stored()
    const [verdict, expected] = [decideVerdict(reasons), step.expect ?? 'safe']
    steps.push({
      ...{
        step: index + 1,
        text: stepText(step as PlannedStep),
        verdict,
        expected,
        passed: verdict === expected,
      },
      ...{ reasons, fromMs, toMs: run.lab.nowMs, servers: serverStates, stored },
    })
  }
  return { steps, events: run.events }
}

const fates = { crash: 'crashes', freeze: 'stops in the middle of what it does', thaw: 'goes on' } as const

async function take(run: RehearsalRun, { deed, objects }: PathStep): Promise<void> {
  const { lab, path } = run
  const isByCrd = path.subject.kind === 'crds'
  switch (deed.do) {
    case 'release':
      if (isStored(objects)) await takeOver(run, objects)
      await startServers(run, isByCrd ? '' : deed.to)
      if (isByCrd) await applyCrds(run, deed.to, [])
      break
    case 'upgrade':
    case 'rollback':
      if (isByCrd) await applyCrds(run, deed.to, deed.late)
      else await rollServers(run, deed.to, deed.late)
      break
    case 'crash':
    case 'freeze':
    case 'thaw':
    case 'start': {
      const server = lab.servers[deed.server - 1]
      if (!server) break
      if (deed.do === 'start') {
        if (!server.isUp) await startOne(run, server, server.release)
        break
      }
      server[deed.do]()
      run.tell('server', `server ${deed.server} ${fates[deed.do]}`, server)
      break
    }
    case 'migrate':
      await migrateResources(run, deed.resources)
      break
    case 'prune':
      await pruneCrds(run, deed.resources)
      break
    case 'write':
      break
  }
  if (objects !== undefined && !isStored(objects)) await createObjects(run, objects)
  await useObjects(run)
}
