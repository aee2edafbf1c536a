// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace warpgrade {

/// A key that two spellings of one name share: letters in lower case, accents composed or not, blanks collapsed.
/// Bytes that are no UTF-8 stay as they are.
std::string name_key(std::string_view name);

/// name_key of "Last, First" turned into "First Last"; of any other text the same as name_key.
std::string person_key(std::string_view name);

/// True for the bytes that ascii_name keeps.
bool is_id_byte(char c);

/// `name` in letters, digits, '.', '-' and '_' alone: accents dropped, Cyrillic and Greek in Latin letters, any other run
/// of characters one '_'.
std::string ascii_name(std::string_view name);

/// "Ana_Anic_12345": the student id of a name and the LMS's number; the number alone where no letter of the name is left.
std::string numbered_id(std::string_view name, std::string_view number);

}  // namespace warpgrade
