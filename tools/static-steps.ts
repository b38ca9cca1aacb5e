import { join } from 'node:path'
import { root } from './repository.ts'
import { programStep, type Step } from './steps.ts'

const program = (name: string): string => join(root, 'node_modules', '.bin', name)

/** What is known of the code without running it. Its layout and arrows are a test: tidy.test.ts. */
export const STATIC_STEPS: readonly Step[] = [
  programStep('types', program('tsc'), ['-p', 'tsconfig.json', '--pretty', 'false']),
  programStep('types in the browser', program('tsc'), [
    '-p',
    'packages/dashboard/tsconfig.json',
    '--pretty',
    'false',
  ]),
  programStep('format and lint', program('biome'), [
    'check',
    '--error-on-warnings',
    '--max-diagnostics=50',
    '.',
  ]),
]
