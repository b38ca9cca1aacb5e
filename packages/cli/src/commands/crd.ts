import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { addCrdCheck } from './crd-check.ts'
import { addCrdUpgrade } from './crd-upgrade.ts'

/** The commands for people who have new files of CRDs. */
export function addCrd(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const crd = program
    .command('crd')
    .description('Check new files of CRDs before a release, and bring the CRDs of a cluster to them.')
  addCrdCheck(crd, context, done)
  addCrdUpgrade(crd, context, done)
}
