import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { MigrationPlan } from './planned-resource.ts'

/** Under another name first: a plan that ends in the middle is none. Only the user may read it: messages quote objects. */
export function writePlan(path: string, plan: MigrationPlan): void {
  const aside = `${path}.new`
  try {
    writeFileSync(aside, `${JSON.stringify(plan, undefined, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(aside, path)
  } catch (cause) {
    rmSync(aside, { force: true })
    throw new CliError(`the plan could not be written: ${textOf(cause)}`, exitCodes.notSeen, { cause })
  }
}

export function readPlan(path: string): MigrationPlan {
  let plan: Partial<MigrationPlan> | null
  try {
    plan = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new CliError(`${path} cannot be read as a plan: ${textOf(cause)}`, exitCodes.usage, { cause })
  }
  if (plan?.kind !== 'MigrationPlan' || !Array.isArray(plan.resources)) {
    throw new CliError(`${path} is no plan: make one with "strata plan --out"`, exitCodes.usage)
  }
  if (plan.version !== 1) {
    const why = `${path} has version ${plan.version}, and this release reads plans of version 1: make a new plan`
    throw new CliError(why, exitCodes.usage)
  }
  return plan as MigrationPlan
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
