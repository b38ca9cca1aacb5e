import type { CrdStep } from './crd-plan.ts'

/** A step for people: what will be done, and why. On the way back, the file that is applied is the old one. */
export function stepText(step: CrdStep, file: 'new' | 'old' = 'new'): string {
  switch (step.do) {
    case 'apply':
      return `apply the ${file} file`
    case 'ask':
      return `read every object in ${step.version}: the conversion webhook must answer for each`
    case 'migrate':
      return `rewrite every object in ${step.to}`
    case 'prune':
      return `remove ${step.drop.join(', ')} from status.storedVersions`
    case 'bridge': {
      const marked = step.versions.map((name) => (name === step.storage ? `${name} (storage)` : name))
      const serving = step.serve === undefined ? '' : `, serving ${step.serve}`
      const by = step.conversion === 'wanted' ? ` and the conversion of the ${file} file` : ''
      return `apply a bridge with the versions ${marked.join(', ')}${serving}${by}`
    }
  }
}
