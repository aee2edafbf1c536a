// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

extern const char kPageStyle[];      ///< web/page.css
extern const char kStudentScript[];  ///< web/student.ts, bundled; empty where the build had no npm.
extern const char kClassScript[];    ///< web/class.ts, likewise.

}  // namespace warpgrade
