import type { Command } from 'commander'
import type { CliContext } from './context.ts'

/** What there is, for completion. */
export interface KnownCommands {
  readonly names: readonly string[]
  /** A program with these commands. */
  load(names: string[]): Promise<Command>
}

/** Adds a command with its flags; `done` gets its exit code. */
export type AddCommand = (
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
  known: KnownCommands,
) => void

/**
 * The commands, in the order of the help. Each module is loaded when its command is asked for: loading all of them
 * takes longer than most commands run.
 */
export const commandModules: Readonly<Record<string, () => Promise<AddCommand>>> = {
  up: async () => (await import('./commands/up.ts')).addUp,
  testenv: async () => (await import('./commands/develop/testenv.ts')).addTestenv,
  roll: async () => (await import('./commands/fleet/roll.ts')).addRoll,
  playground: async () => (await import('./commands/fleet/playground.ts')).addPlayground,
  rehearse: async () => (await import('./commands/develop/rehearse.ts')).addRehearse,
  init: async () => (await import('./commands/develop/init.ts')).addInit,
  serve: async () => (await import('./commands/serve.ts')).addServe,
  controllers: async () => (await import('./commands/controllers/controllers.ts')).addControllers,
  status: async () => (await import('./commands/status.ts')).addStatus,
  dashboard: async () => (await import('./commands/dashboard.ts')).addDashboard,
  check: async () => (await import('./commands/check.ts')).addCheck,
  plan: async () => (await import('./commands/plan.ts')).addPlan,
  inspect: async () => (await import('./commands/inspect.ts')).addInspect,
  'can-drop': async () => (await import('./commands/can-drop.ts')).addCanDrop,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  census: async () => (await import('./commands/census.ts')).addCensus,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
  crd: async () => (await import('./commands/crd.ts')).addCrd,
  'rotate-keys': async () => (await import('./commands/mend/rotate-keys.ts')).addRotateKeys,
  repair: async () => (await import('./commands/mend/repair.ts')).addRepair,
  prune: async () => (await import('./commands/prune.ts')).addPrune,
  'clean-managed-fields': async () =>
    (await import('./commands/clean-managed-fields.ts')).addCleanManagedFields,
  rbac: async () => (await import('./commands/rbac.ts')).addRbac,
  completion: async () => (await import('./commands/completion.ts')).addCompletion,
}

/** The commands to load for these arguments: none for the version, all for the help and for a name that is unknown. */
export function decideNeededCommands(args: readonly string[], names: string[]): string[] {
  const [first = ''] = args
  if (first === '--version' || first === '-V') return []
  return names.includes(first) ? [first] : names
}
