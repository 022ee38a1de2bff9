/** What catches a cheat, in the words of the page. */
export const changedTest = 'found by the change of the test; the old test fails on the new code'
export const changedScript = 'found by the change of the script; the old script fails on the new code'
export const changedSettings = 'found by the settings of the runner; the old settings fail on the new code'
export const changedEnvironment = 'evidence: a file that changes how the gate is run'
