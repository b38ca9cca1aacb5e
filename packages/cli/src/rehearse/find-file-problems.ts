import type { FormProblem, RehearsalForm } from '@strata/rehearsal/form'

const instead = 'a page cannot name files of this machine: use "strata rehearse", or write'

/** Every place where a rehearsal names a file or a module. */
export function findFileProblems({
  resources,
  crds,
  conversions,
  steps,
}: RehearsalForm): readonly FormProblem[] {
  const problem = (field: string, what: string): FormProblem => ({ field, message: `${instead} ${what}` })
  return [
    ...(resources.length > 0 ? [problem('resources', 'the kinds as CRDs')] : []),
    ...(conversions === undefined ? [] : [problem('conversions', 'a path without conversions')]),
    ...Object.entries(crds)
      .filter(([, given]) => given.some((each) => typeof each === 'string'))
      .map(([release]) => problem(`crds.${release}`, 'the CRDs here')),
    ...steps.flatMap(({ objects }, index) =>
      typeof objects === 'object' && ['file', 'snapshot', 'cluster'].some((each) => each in objects)
        ? [problem(`steps[${index}].objects`, 'the objects here')]
        : [],
    ),
  ]
}
