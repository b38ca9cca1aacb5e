import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { addCrdUpgrade } from './crd-upgrade.ts'

/** The commands for people who have new files of CRDs. */
export function addCrd(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const crd = program.command('crd').description('Bring the CRDs of a cluster to a new release.')
  addCrdUpgrade(crd, context, done)
}
