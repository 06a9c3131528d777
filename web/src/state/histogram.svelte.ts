// The histogram of the photo that is looked at, between the viewer that has the pixels and the panel that draws it.

import type { Histogram } from "../engine/analysis";

export const histogramOf = $state<{ value: Histogram | undefined }>({ value: undefined });
