import type { Command } from 'commander'
import type { MigrateOptions } from '../migration/run/migration-job.ts'

/** Which objects a command is about, if not all. */
export interface PartFlags {
  readonly namespace?: string
  readonly selector?: string
  readonly fieldSelector?: string
}

export function addPartOptions(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'only objects in this namespace; never a proof (see below)')
    .option('-l, --selector <selector>', 'only objects with these labels, e.g. app=web; never a proof')
    .option(
      '--field-selector <selector>',
      'only objects with these fields, e.g. metadata.name=a; never a proof',
    )
}

/** Undefined: all objects. */
export function partOf({ namespace, selector, fieldSelector }: PartFlags): MigrateOptions['part'] {
  if (namespace === undefined && selector === undefined && fieldSelector === undefined) return undefined
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  }
}
